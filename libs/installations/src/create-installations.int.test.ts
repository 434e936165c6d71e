import { createSecretKey, randomBytes } from 'node:crypto';
import { createStore, type Store } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import {
  cloneDatabase,
  sampleManifest,
  seedInstallation,
  type ClonedDatabase,
  type SeededInstallation,
  patientLimits,
} from '@sluice/testkit';
import { createInstallations, type Installations } from './create-installations';

const ring = new Map([['k1', createSecretKey(randomBytes(32))]]);
const keyring = { currentId: 'k1', key: (id: string) => ring.get(id) };

let clone: ClonedDatabase;
let store: Store;
let installations: Installations;

beforeAll(async () => {
  clone = await cloneDatabase();
  store = createStore({ url: clone.url, applicationName: 'installations-test', limits: patientLimits });
  const connectors = { find: () => undefined };
  installations = createInstallations({ store, keyring, connectors, logger: silentLogger });
});

afterAll(async () => {
  await store.close();
  await clone.drop();
});

const namesOf = (seed: SeededInstallation) => ({
  withinProjectId: seed.projectId,
  projectIdOrName: seed.projectName,
  integrationId: seed.integrationId,
  groupRef: seed.groupRef,
});

describe('resolve', () => {
  it('gives everything a write needs', async () => {
    const seed = await seedInstallation(store);
    const context = await installations.resolve(namesOf(seed));
    expect(context).toMatchObject({
      projectId: seed.projectId,
      integrationId: seed.integrationId,
      installationId: seed.installationId,
      configId: seed.configId,
      connectionId: seed.connectionId,
      revisionId: seed.revisionId,
      provider: 'hubspot',
      groupRef: seed.groupRef,
      dropUnmappedFields: false,
      manifest: sampleManifest(),
      config: { provider: 'hubspot' },
    });
    expect(context.laneId).toEqual(expect.any(String));
  });

  it.each([
    ['project', { projectIdOrName: 'nowhere' }, 'project.not-found', 'projectIdOrName'],
    ['integration', { integrationId: 'nothing' }, 'integration.not-found', 'integrationId'],
    ['group', { groupRef: 'nobody' }, 'group.not-found', 'groupRef'],
  ])('names an unknown %s and its field', async (_noun, change, code, field) => {
    const seed = await seedInstallation(store);
    const failed = installations.resolve({ ...namesOf(seed), ...change });
    await expect(failed).rejects.toMatchObject({ code, detail: expect.stringContaining(`${field}:`) });
  });

  it('names a group that has not installed the integration', async () => {
    const seed = await seedInstallation(store);
    const other = await seedInstallation(store, {
      projectId: seed.projectId,
      groupRef: 'g2',
      manifest: sampleManifest({ name: 'b' }),
    });
    const failed = installations.resolve({ ...namesOf(seed), groupRef: other.groupRef });
    await expect(failed).rejects.toMatchObject({
      code: 'installation.not-found',
      detail: expect.stringContaining('"g2"'),
    });
  });
});

describe('liveCredentials', () => {
  const secret = 'canary-live-token';
  const seal = (id: string) => installations.seal({ noun: 'connection', id }, { accessToken: secret });

  it('opens what was sealed for the connection', async () => {
    const seed = await seedInstallation(store, { seal });
    expect(await installations.liveCredentials(seed.projectId, seed.connectionId)).toEqual({
      connectionId: seed.connectionId,
      provider: 'hubspot',
      groupRef: 'group-1',
      tokenVersion: 1,
      status: 'created',
      workspaceRef: '424242',
      credentials: { accessToken: secret },
    });
  });

  it('does not open another connection of the row it was copied to', async () => {
    const seed = await seedInstallation(store, { seal: () => seal('another-connection') });
    const failed = installations.liveCredentials(seed.projectId, seed.connectionId);
    await expect(failed).rejects.toMatchObject({ code: 'service.defect' });
    await expect(failed).rejects.not.toThrow(secret);
  });

  it('is not found in another project', async () => {
    const [mine, theirs] = [await seedInstallation(store, { seal }), await seedInstallation(store, { seal })];
    const failed = installations.liveCredentials(mine.projectId, theirs.connectionId);
    await expect(failed).rejects.toMatchObject({ code: 'connection.not-found' });
  });
});
