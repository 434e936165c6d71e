import { newId } from '@sluice/store';
import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { ConfigContent } from '@sluice/types';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const record = { email: 'a@x.com' };
const withDefault = (source: string): ConfigContent => {
  const selectedFieldSettings = { source: { default: { stringValue: source } } };
  return sampleConfig({ write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } } });
};

/** A new config, straight in the tables: as another replica's management service would write it. */
async function changeConfig({ projectId, installationId, revisionId }: Seed, content: ConfigContent): Promise<string> {
  const { database } = gateway;
  const configId = newId();
  const hash = `hash-${configId}`;
  await database('config_contents').insert({ project_id: projectId, hash, content: JSON.stringify(content) });
  const row = { id: configId, installation_id: installationId, revision_id: revisionId, content_hash: hash };
  await database('configs').insert({ project_id: projectId, created_by: 'builder:test', ...row });
  await database('installations').where({ project_id: projectId, id: installationId }).update({ config_id: configId });
  return configId;
}

/** The plan and the config that an accepted write was stored with. */
async function storedOf(reply: { body: unknown }) {
  const { operationId } = reply.body as { operationId: string };
  const [row] = (await gateway
    .database('records')
    .where({ operation_id: operationId })
    .orderBy('accept_seq', 'desc')) as {
    plan: string;
    config_id: string;
  }[];
  const { fields } = JSON.parse(row?.plan ?? '{}') as { fields: object };
  return { fields, configId: row?.config_id };
}

// A change is in force for the next request, with no timer, although the ids are cached.
describe('a config that changes after it was cached', () => {
  it.each([
    ['asynchronous', { mode: 'asynchronous' }],
    ['auto-batched', { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 5 } }],
    ['synchronous', {}],
  ])('%s: the next write is planned with the new one', async (_mode, more) => {
    const seed = await gateway.seed({ config: withDefault('old') });
    const write = { type: 'create', record, ...more };
    const before = await gateway.write(seed, write).expect(200);
    expect(await storedOf(before)).toEqual({ fields: { ...record, source: 'old' }, configId: seed.configId });
    const configId = await changeConfig(seed, withDefault('new'));
    const after = await gateway.write(seed, write).expect(200);
    expect(await storedOf(after)).toEqual({ fields: { ...record, source: 'new' }, configId });
  });

  it.each([
    ['asynchronous', { mode: 'asynchronous' }],
    ['synchronous', {}],
  ])(
    '%s: a write to an installation that was deleted with its connection names the installation',
    async (_mode, more) => {
      const seed = await gateway.seed();
      const { projectId, integrationId, installationId } = seed;
      const write = { type: 'create', record, ...more };
      await gateway.write(seed, write).expect(200);
      await gateway.context.store.installations.remove({ projectId, integrationId, installationId });
      const { body } = await gateway.write(seed, write).expect(404);
      expect(body).toMatchObject({ code: 'installation.not-found' });
    },
  );

  it('[sec-10] a delete that the old one allowed and the new one forbids is not sent', async () => {
    const deletable = (enabled: boolean): ConfigContent =>
      sampleConfig({ write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled } } } } });
    const seed = await gateway.seed({ config: deletable(true) });
    await gateway.write(seed, { type: 'delete', record: { id: '41' } }).expect(200);
    await changeConfig(seed, deletable(false));
    const before = gateway.hubspot.calls.length;
    const reply = await gateway.write(seed, { type: 'delete', record: { id: '42' } }).expect(403);
    expect(reply.body).toMatchObject({ code: 'write.delete-not-enabled' });
    expect(gateway.hubspot.calls.slice(before)).toEqual([]);
  });
});

// Planning is what a write costs this process. A hostile batch was planned twice to be refused once.
describe('how often a write is planned', () => {
  afterEach(() => jest.restoreAllMocks());

  /** Counts the plannings from here on: each asks once how the provider treats fields. */
  function countPlannings(): { readonly plannings: () => number } {
    const { connectors } = gateway.context;
    const connector = connectors.get('hubspot');
    const fields = jest.fn(() => connector.capabilities.fields);
    const capabilities = Object.create(connector.capabilities, { fields: { get: fields } }) as object;
    const counted = Object.create(connector, { capabilities: { value: capabilities } }) as typeof connector;
    jest.spyOn(connectors, 'get').mockReturnValue(counted);
    return { plannings: () => fields.mock.calls.length };
  }

  const modes: [mode: string, more: object][] = [
    ['asynchronous', { mode: 'asynchronous' }],
    ['auto-batched', { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 5 } }],
    ['synchronous', {}],
  ];
  /** No field of it is written on a create, which planning finds. */
  const faulty = { type: 'create', record: { phone: '1' } };
  const neverPhone = (): ConfigContent =>
    sampleConfig({
      write: {
        objects: {
          contacts: { objectName: 'contacts', selectedFieldSettings: { phone: { writeOnCreate: 'never' } } },
        },
      },
    });

  it.each(modes)('%s: once when it is refused, and no other config could change that', async (_mode, more) => {
    const seed = await gateway.seed({ config: neverPhone() });
    await gateway.write(seed, { type: 'create', record, ...more }).expect(200);
    const { plannings } = countPlannings();
    const { body } = await gateway.write(seed, { ...faulty, ...more }).expect(400);
    expect(body).toMatchObject({ issues: [expect.objectContaining({ in: 'body' })] });
    expect(plannings()).toBe(1);
  });

  it.each(modes)('%s: once when it is accepted', async (_mode, more) => {
    const seed = await gateway.seed();
    await gateway.write(seed, { type: 'create', record, ...more }).expect(200);
    const { plannings } = countPlannings();
    await gateway.write(seed, { type: 'create', record, ...more }).expect(200);
    expect(plannings()).toBe(1);
  });

  it.each(modes)('%s: once more on the config that replaced the known one, also to be refused', async (_mode, more) => {
    const seed = await gateway.seed();
    await gateway.write(seed, { type: 'create', record, ...more }).expect(200);
    await changeConfig(seed, neverPhone());
    const { plannings } = countPlannings();
    await gateway.write(seed, { ...faulty, ...more }).expect(400);
    expect(plannings()).toBe(2);
  });
});

it('a manifest that no longer declares the object: the next write is refused', async () => {
  const seed = await gateway.seed();
  const write = { type: 'create', record, mode: 'asynchronous' };
  await gateway.write(seed, write).expect(200);
  const content = sampleManifest({ write: { objects: [{ objectName: 'companies' }] } });
  const entry = { projectId: seed.projectId, name: 'crm', provider: 'hubspot', specVersion: '1.0.0', content };
  await gateway.context.store.integrations.putAll(seed.projectId, [entry]);
  const rows = await gateway.countRows();
  const reply = await gateway.write(seed, write).expect(404);
  expect(reply.body).toMatchObject({ code: 'write.object-not-in-manifest' });
  expect(await gateway.countRows()).toEqual(rows);
});

it('a key that is revoked after it was cached writes nothing more', async () => {
  const seed = await gateway.seed();
  const write = { type: 'create', record, mode: 'asynchronous' };
  await gateway.write(seed, write).expect(200);
  await gateway.database('api_keys').where({ project_id: seed.projectId }).update({ active: false });
  const rows = await gateway.countRows();
  const reply = await gateway.write(seed, write);
  expect([401, 503]).toContain(reply.status);
  expect(await gateway.countRows()).toEqual(rows);
});
