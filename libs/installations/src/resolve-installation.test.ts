import type { InstallationIds } from '@sluice/store';
import type { ConfigContent, Manifest } from '@sluice/types';
import { createResolver } from './resolve-installation';

const names = { projectIdOrName: 'p', integrationId: 'i', groupRef: 'g' } as Parameters<
  ReturnType<typeof createResolver>['resolve']
>[0];

it('answers who waits for a lookup that another caller replaces', async () => {
  const ids = { revisionId: 'r', configId: 'c', contentHash: 'h' } as unknown as InstallationIds;
  const letGo: (() => void)[] = [];
  const findIds = async () => {
    if (letGo.length === 0) await new Promise<void>((resolve) => letGo.push(resolve));
    return { ids };
  };
  const contents = { manifest: async () => ({}) as Manifest, config: async () => ({}) as ConfigContent };
  const { resolve, resolveAgain } = createResolver({ installationLookup: { findIds } } as never, contents as never);
  const waiting = resolve(names);
  await resolveAgain(names);
  letGo[0]?.();
  await expect(waiting).resolves.toBeDefined();
});
