import { seedInstallation, type SeededInstallation } from '@sluice/testkit';
import type { ConfigContent } from '@sluice/types';
import { useDatabase } from '../../test/use-database';
import type { ChangedInstallation } from './change-installation';

const fixture = useDatabase();

const keyOf = ({ projectId, integrationId, installationId }: SeededInstallation) => ({
  projectId,
  integrationId,
  installationId,
});

/** Changes the content; everything else stays. */
const change = (seed: SeededInstallation, revise: (content: ConfigContent) => ConfigContent, by = 'builder:b') =>
  fixture.store.installations.change(keyOf(seed), ({ content, connectionId }) => ({
    connectionId,
    content: revise(content),
    createdBy: by,
    isCreatedByAsked: false,
  }));

const configsOf = (seed: SeededInstallation) =>
  fixture.database('configs').where({ project_id: seed.projectId, installation_id: seed.installationId }).orderBy('id');

describe('change', () => {
  it('takes another author as a change only when that was requested', async () => {
    const seed = await seedInstallation(fixture.store);
    const by = (createdBy: string, isCreatedByAsked: boolean) =>
      fixture.store.installations.change(keyOf(seed), ({ content, connectionId }): ChangedInstallation => {
        return { content, connectionId, createdBy, isCreatedByAsked };
      });
    expect((await by('api:x', false))?.config.createdBy).toBe('builder:seed');
    expect((await by('api:x', true))?.config.createdBy).toBe('api:x');
    await by('api:x', true);
    expect(await configsOf(seed)).toHaveLength(2);
  });

  it('takes the revision that is the latest now', async () => {
    const seed = await seedInstallation(fixture.store);
    const integration = await fixture.store.integrations.find(seed.projectId, seed.integrationId);
    const content = { ...integration!.latestRevision.content, displayName: 'Changed' };
    const entry = { projectId: seed.projectId, name: content.name, provider: 'hubspot', specVersion: '1.0.0', content };
    const [revised] = await fixture.store.integrations.putAll(seed.projectId, [entry]);
    const changed = await change(seed, (stored) => ({ ...stored, proxy: { enabled: true } }));
    expect(changed?.config.revisionId).toBe(revised?.latestRevision.id);
    expect(changed?.config.revisionId).not.toBe(seed.revisionId);
  });

  it('moves to another connection without a config, and what a write compares sees both', async () => {
    const seed = await seedInstallation(fixture.store);
    const other = await fixture.store.connections.create({
      projectId: seed.projectId,
      provider: 'hubspot',
      groupRef: seed.groupRef,
      consumerRef: 'ben',
      authScheme: 'apiKey',
      seal: () => ({ text: 'sealed', keyId: 'k1' }),
    });
    const changed = await fixture.store.installations.change(keyOf(seed), ({ content }) => ({
      connectionId: other.id,
      content,
      createdBy: 'builder:b',
      isCreatedByAsked: false,
    }));
    expect(changed).toMatchObject({ connection: { id: other.id }, config: { id: seed.configId } });
    expect(changed).not.toHaveProperty('updateTime');
    const found = await fixture.store.installationLookup.findIds({
      withinProjectId: seed.projectId,
      projectIdOrName: seed.projectId,
      integrationId: seed.integrationId,
      groupRef: seed.groupRef,
    });
    expect(found).toMatchObject({ ids: { connectionId: other.id, configId: seed.configId } });
  });

  // Two changes that both read first and then wrote would leave only one of these.
  it('loses none of many changes at once', async () => {
    const seed = await seedInstallation(fixture.store, { config: { provider: 'hubspot' } });
    const names = Array.from({ length: 20 }, (_, at) => `object-${at}`);
    await Promise.all(
      names.map((objectName) =>
        change(seed, (content) => ({
          ...content,
          write: { objects: { ...content.write?.objects, [objectName]: { objectName } } },
        })),
      ),
    );
    const found = await fixture.store.installations.find(seed.projectId, seed.integrationId, seed.installationId);
    expect(Object.keys(found?.config.content.write?.objects ?? {}).sort()).toEqual(names.sort());
    const configs = (await configsOf(seed)) as { id: string; created_at: Date }[];
    expect(configs).toHaveLength(21);
    // Time follows the order of the changes, and the last one is in force.
    const byTime = configs.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime());
    expect(found?.updateTime).toBe(byTime.at(-1)?.created_at.toISOString());
  });

  it('leaves everything as it was when the decision throws', async () => {
    const seed = await seedInstallation(fixture.store);
    const before = await fixture.store.installations.find(seed.projectId, seed.integrationId, seed.installationId);
    const refused = change(seed, () => {
      throw new TypeError('no');
    });
    await expect(refused).rejects.toMatchObject({ code: 'service.defect' });
    expect(await fixture.store.installations.find(seed.projectId, seed.integrationId, seed.installationId)).toEqual(
      before,
    );
  });
});
