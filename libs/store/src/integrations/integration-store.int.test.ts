import { ConflictError } from '@sluice/errors';
import { cloneDatabase, sampleManifest, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { integrationStore } from './integration-store';

let clone: ClonedDatabase;
let database: Knex;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'integration-store-test', limits: patientLimits });
});

afterAll(async () => {
  await database.destroy();
  await clone.drop();
});

const integration = (projectId: string, name = 'crm') => ({
  projectId,
  name,
  provider: 'hubspot',
  specVersion: '1.0.0',
  content: sampleManifest({ name }),
});

const listed = async (integrations: ReturnType<typeof integrationStore>, projectId: string) =>
  (await integrations.listPage(projectId, { size: 10 })).items;

describe('integrationStore', () => {
  it('creates with a first revision and finds by id and name', async () => {
    const integrations = integrationStore(database);
    const created = await integrations.create(integration('p1'));
    expect(created.latestRevision).toMatchObject({ specVersion: '1.0.0', content: sampleManifest() });
    expect(created).not.toHaveProperty('updateTime');
    expect(await integrations.find('p1', created.id)).toEqual(created);
    expect(await integrations.find('p1', 'crm')).toEqual(created);
    expect(await listed(integrations, 'p1')).toEqual([created]);
  });

  it('refuses a name twice, without leaving a revision behind', async () => {
    const integrations = integrationStore(database);
    await integrations.create(integration('p2'));
    await expect(integrations.create(integration('p2'))).rejects.toThrow(ConflictError);
    expect(await database('revisions').where({ project_id: 'p2' })).toHaveLength(1);
  });

  it('puts: creates, keeps what is equal, and revises what differs', async () => {
    const integrations = integrationStore(database);
    const [first] = await integrations.putAll('p3', [integration('p3')]);
    const [same] = await integrations.putAll('p3', [integration('p3')]);
    expect(same).toEqual(first);
    const changed = { ...integration('p3'), content: sampleManifest({ displayName: 'CRM' }) };
    const [revised] = await integrations.putAll('p3', [changed]);
    expect(revised?.id).toBe(first?.id);
    expect(revised?.latestRevision.id).not.toBe(first?.latestRevision.id);
    expect(revised?.latestRevision.content.displayName).toBe('CRM');
    expect(revised?.updateTime).toEqual(expect.any(String));
    const old = await integrations.findRevision('p3', first?.latestRevision.id ?? '');
    expect(old).toEqual({
      id: first?.latestRevision.id,
      integrationId: first?.id,
      specVersion: '1.0.0',
      createTime: first?.latestRevision.createTime,
      content: sampleManifest(),
    });
  });

  it('removes what nobody has installed, keeps its revisions, and gives the name free', async () => {
    const integrations = integrationStore(database);
    const created = await integrations.create(integration('p8'));
    expect(await integrations.remove('p9', created.id)).toBe('absent');
    expect(await integrations.remove('p8', created.id)).toBe('deleted');
    expect(await integrations.remove('p8', created.id)).toBe('absent');
    expect(await integrations.findRevision('p8', created.latestRevision.id)).toMatchObject({
      id: created.latestRevision.id,
    });
    const [again] = await integrations.putAll('p8', [integration('p8')]);
    expect(again?.id).not.toBe(created.id);
  });

  it('puts all or none', async () => {
    const integrations = integrationStore(database);
    await integrations.putAll('p4', [integration('p4', 'b')]);
    const put = integrations.putAll('p4', [
      integration('p4', 'a'),
      { ...integration('p4', 'b'), provider: 'salesforce' },
    ]);
    await expect(put).rejects.toMatchObject({
      code: 'integration.name-taken',
      detail: expect.stringContaining('salesforce'),
    });
    expect((await listed(integrations, 'p4')).map(({ name }) => name)).toEqual(['b']);
  });

  it('puts the same names from several requests at once, each integration once', async () => {
    const integrations = integrationStore(database);
    const names = ['a', 'b', 'c'];
    const deploys = Array.from({ length: 6 }, (_, at) =>
      integrations.putAll(
        'p5',
        (at % 2 ? names : names.toReversed()).map((name) => integration('p5', name)),
      ),
    );
    await Promise.all(deploys);
    expect((await listed(integrations, 'p5')).map(({ name }) => name).sort()).toEqual(names);
    expect(await database('revisions').where({ project_id: 'p5' })).toHaveLength(3);
  });

  it('keeps to the project', async () => {
    const integrations = integrationStore(database);
    const created = await integrations.create(integration('p6'));
    expect(await integrations.find('p7', created.id)).toBeUndefined();
    expect(await integrations.findRevision('p7', created.latestRevision.id)).toBeUndefined();
    expect(await listed(integrations, 'p7')).toEqual([]);
  });
});
