import { sampleManifest, seedInstallation, type SeededInstallation, type SeedOptions } from '@sluice/testkit';
import type { Installation } from '@sluice/types';
import type supertest from 'supertest';
import type { RunningManagement, Sender } from './start-management';

/** An installation whose manifest reads and writes contacts and deals, with a key that may do everything. */
export interface PreparedInstallation {
  readonly seed: SeededInstallation;
  readonly send: Sender;
  /** `…/integrations/{integrationId}`. */
  readonly integrationPath: string;
  readonly path: string;
  /** As the service shows it now. */
  readonly get: () => Promise<Installation>;
  readonly patch: (updateMask: readonly string[], installation: object) => supertest.Test;
}

const manifest = sampleManifest({
  read: { objects: [{ objectName: 'contacts' }, { objectName: 'deals' }] },
  write: { objects: [{ objectName: 'contacts' }, { objectName: 'deals' }] },
});

/** A connection of a project's group that reached no provider; its id. */
export async function addConnection(
  { context }: RunningManagement,
  projectId: string,
  groupRef: string,
  more: Partial<Parameters<RunningManagement['context']['store']['connections']['create']>[0]> = {},
): Promise<string> {
  const seal = () => ({ text: 'sealed', keyId: 'k1' });
  const owner = { projectId, provider: 'hubspot', groupRef, consumerRef: 'anna', authScheme: 'apiKey' } as const;
  return (await context.store.connections.create({ ...owner, seal, ...more })).id;
}

export async function prepareInstallation(
  management: RunningManagement,
  options: SeedOptions = {},
): Promise<PreparedInstallation> {
  const seed = await seedInstallation(management.context.store, { manifest, ...options });
  const send = management.as(await management.newKey(seed.projectId, ['full']));
  const integrationPath = `/v1/projects/${seed.projectId}/integrations/${seed.integrationId}`;
  const path = `${integrationPath}/installations/${seed.installationId}`;
  return {
    seed,
    send,
    integrationPath,
    path,
    get: async () => (await send.get(path).expect(200)).body as Installation,
    patch: (updateMask, installation) => send.patch(path).send({ updateMask, installation }),
  };
}
