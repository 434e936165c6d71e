import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { ConfigContent, InstallationContext, LiveCredentials } from '@sluice/types';
import type { GatewayContext } from './context';
import { allowedRefresh } from './send-opened';
import type { WriteCall } from './resolve-write';

const live = {
  connectionId: 'c',
  tokenVersion: 1,
  status: 'working',
  provider: 'hubspot',
  groupRef: 'g',
  credentials: {},
} as const;
const newer: LiveCredentials = { ...live, tokenVersion: 2 };
const off = sampleConfig();
const on = sampleConfig({
  write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } },
});

function refresherOn(config: ConfigContent, type: 'delete' | 'update') {
  const installation = { config, manifest: sampleManifest() } as unknown as InstallationContext;
  const installations = {
    refreshCredentials: () => Promise.resolve(newer),
    resolveAgain: () => Promise.resolve(installation),
  };
  const call = { request: { type } } as WriteCall;
  const named = { projectId: 'p', objectName: 'contacts' };
  return allowedRefresh({ installations } as unknown as GatewayContext, call, named);
}

describe('[sec-49] after a 401 and a refresh', () => {
  it('a delete that the config forbids by now is not made again', async () => {
    await expect(refresherOn(off, 'delete')(live)).rejects.toMatchObject({
      class: 'rejected',
      detail: 'Deletion of "contacts" is not enabled in the config of this installation.',
    });
  });

  it.each([
    ['a delete that is still allowed', on, 'delete'],
    ['an update', off, 'update'],
  ] as const)('%s is', async (_, config, type) => {
    expect(await refresherOn(config, type)(live)).toBe(newer);
  });
});
