import type { InstallationIds } from '@sluice/store';
import type { ConfigContent, Manifest } from '@sluice/types';
import { InstallationResolver } from './resolve-installation';

const names = { projectIdOrName: 'p', integrationId: 'i', groupRef: 'g' } as Parameters<
  InstallationResolver['resolve']
>[0];

it('answers who waits for a lookup that another caller replaces', async () => {
  const ids = { revisionId: 'r', configId: 'c', contentHash: 'h' } as unknown as InstallationIds;
  const letGo: (() => void)[] = [];
  const findIds = async () => {
    if (letGo.length === 0) await new Promise<void>((resolve) => letGo.push(resolve));
    return { ids };
  };
  const contents = { manifest: async () => ({}) as Manifest, config: async () => ({}) as ConfigContent };
  const resolver = new InstallationResolver({ installationLookup: { findIds } } as never, contents as never);
  const waiting = resolver.resolve(names);
  await resolver.resolveAgain(names);
  letGo[0]?.();
  await expect(waiting).resolves.toBeDefined();
});

// What refused a write under the known context refuses it under the same one again: nobody plans it twice.
it('reads again, and gives the very context it knew where nothing has changed', async () => {
  let configId = 'c1';
  const findIds = async () => ({ ids: { revisionId: 'r', configId, contentHash: 'h' } as InstallationIds });
  const contents = { manifest: async () => ({}) as Manifest, config: async () => ({}) as ConfigContent };
  const resolver = new InstallationResolver({ installationLookup: { findIds } } as never, contents as never);
  const known = await resolver.resolve(names);
  expect(await resolver.resolveAgain(names)).toBe(known);
  expect(await resolver.resolve(names)).toBe(known);
  configId = 'c2';
  const changed = await resolver.resolveAgain(names);
  expect(changed).toMatchObject({ configId: 'c2' });
  expect(await resolver.resolve(names)).toBe(changed);
});
