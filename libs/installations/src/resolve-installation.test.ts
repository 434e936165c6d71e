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

// What refused a write under the known context refuses it under the same one again: nobody plans it twice.
it('reads again, and gives the very context it knew where nothing has changed', async () => {
  let configId = 'c1';
  const findIds = async () => ({ ids: { revisionId: 'r', configId, contentHash: 'h' } as InstallationIds });
  const contents = { manifest: async () => ({}) as Manifest, config: async () => ({}) as ConfigContent };
  const { resolve, resolveAgain } = createResolver({ installationLookup: { findIds } } as never, contents as never);
  const known = await resolve(names);
  expect(await resolveAgain(names)).toBe(known);
  expect(await resolve(names)).toBe(known);
  configId = 'c2';
  const changed = await resolveAgain(names);
  expect(changed).toMatchObject({ configId: 'c2' });
  expect(await resolve(names)).toBe(changed);
});
