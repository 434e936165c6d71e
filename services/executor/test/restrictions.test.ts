import type { ClaimedCall } from '@sluice/store';
import { hubspotRefusal, sampleConfig, sampleManifest, until } from '@sluice/testkit';
import { useFixture, type Seed } from './_executor';

// The plan of a write is pinned at its accept; what restricts it is looked at before it is sent.
const fixture = useFixture();
let seed: Seed;
beforeEach(async () => {
  seed = await fixture.seed();
});

const sent = () => fixture.hubspot.calls.length;
const rowOf = ({ projectId, installationId: id }: Seed) => ({ project_id: projectId, id });
const anotherConnection = 'The installation was given another connection than this write was accepted for.';
const notDeclared = 'The manifest of the integration does not declare the object for writing any more.';

/** The installation gets another connection of its group, to the same account. */
async function reconnect(): Promise<void> {
  const { projectId, groupRef, integrationId, installationId } = seed;
  const seal = (id: string) => ({ text: `sealed-${id}`, keyId: 'k1' });
  const other = await fixture.store.connections.create({
    projectId,
    provider: 'hubspot',
    groupRef,
    consumerRef: 'user-2',
    authScheme: 'oauth2/authorizationCode',
    seal,
  });
  const key = { projectId, integrationId, installationId };
  const next = { connectionId: other.id, createdBy: 'builder:test', isCreatedByAsked: false };
  await fixture.store.installations.change(key, ({ content }) => ({ ...next, content }));
}

/** A new revision of the integration that declares these objects for writing. */
async function deploy(objectNames: readonly string[]): Promise<void> {
  const { projectId, integrationId } = seed;
  const integration = await fixture.store.integrations.find(projectId, integrationId);
  if (integration === undefined) throw new Error('the integration is gone');
  const content = sampleManifest({ write: { objects: objectNames.map((objectName) => ({ objectName })) } });
  const entry = { projectId, name: integration.name, provider: 'hubspot', specVersion: '1.0.0', content };
  await fixture.store.integrations.putAll(projectId, [entry]);
}

const uninstall = async () => {
  const { projectId, integrationId, installationId } = seed;
  await fixture.store.installations.remove({ projectId, integrationId, installationId });
};

describe('[sec-49] a write that waits', () => {
  it.each<[string, () => Promise<void>, string]>([
    ['the installation has another connection', reconnect, anotherConnection],
    ['the manifest lost the object', () => deploy(['companies']), notDeclared],
  ])('%s: every record ends with that, nothing is sent', async (_, restrict, text) => {
    const ids = [
      await fixture.accept(seed, [{ email: 'a@x.com' }, { email: 'b@x.com' }], { announce: false }),
      await fixture.accept(seed, [{ id: '7', email: 'c@x.com' }], { announce: false, type: 'update' }),
    ];
    await restrict();
    await fixture.startExecutor();
    for (const id of ids) {
      expect(await fixture.ended(seed, id)).toMatchObject({ status: 'failure', result: expect.stringContaining(text) });
      for (const record of await fixture.records(seed, id))
        expect(record).toMatchObject({ status: 'failed', error: { class: 'cancelled', message: text } });
    }
    expect(sent()).toBe(0);
  });

  it('with another connection meanwhile: a retry of it ends instead, with the text of the provider', async () => {
    fixture.hubspot.script.push(() => hubspotRefusal(503, { message: 'try later' }, { 'Retry-After': '600' }));
    await fixture.startExecutor();
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }]);
    await until(
      'the first try',
      async () => ((await fixture.callStates(id))[0] === 'ready' && sent() > 0) || undefined,
    );
    await reconnect();
    await fixture.database('calls').where({ operation_id: id }).update({ not_before: fixture.database.fn.now() });
    const operation = await fixture.ended(seed, id);
    expect(operation.result).toMatch(new RegExp(`^${anotherConnection} Last: `));
    expect(sent()).toBe(1);
  });

  it('is sent as it was accepted when what changed does not restrict it', async () => {
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    await deploy(['contacts', 'companies']);
    const key = { projectId: seed.projectId, integrationId: seed.integrationId, installationId: seed.installationId };
    const objects = { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } };
    const content = sampleConfig({ write: { objects } });
    const next = { content, createdBy: 'builder:test', isCreatedByAsked: false };
    await fixture.store.installations.change(key, ({ connectionId }) => ({ ...next, connectionId }));
    await fixture.startExecutor();
    expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success', configId: seed.configId });
    expect(sent()).toBe(1);
  });
});

describe('[sec-49] between the claim and the intent', () => {
  const claim = async (): Promise<ClaimedCall> => {
    const { projectId, laneId } = seed;
    const request = { owner: 'test', limit: 1, perLane: 1, leaseMs: 60_000, isolated: false };
    const [call] = (await fixture.store.writes.claim({ ...request, lanes: [{ projectId, laneId }] })).calls;
    if (call === undefined) throw new Error('nothing was claimed');
    return call;
  };
  const intend = (call: ClaimedCall) => fixture.store.writes.recordIntents([{ ...call, records: [{ index: 0 }] }]);

  // The last moment at which a call can be held back: after this commit bytes may leave.
  it.each<[string, () => Promise<void>]>([
    ['another connection', reconnect],
    ['another manifest', () => deploy(['companies'])],
    ['no installation', uninstall],
  ])('%s: no intent', async (_, restrict) => {
    await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    const call = await claim();
    await restrict();
    expect(await intend(call)).toEqual(new Set());
  });

  it('a manifest that still declares the object costs a second claim, no write', async () => {
    const id = await fixture.accept(seed, [{ email: 'a@x.com' }], { announce: false });
    const call = await claim();
    await deploy(['contacts', 'companies']);
    expect(await intend(call)).toEqual(new Set());
    await fixture.store.writes.release([{ ...call, delayMs: 0, isInDoubt: false }]);
    await fixture.startExecutor();
    expect(await fixture.ended(seed, id)).toMatchObject({ status: 'success' });
    expect(sent()).toBe(1);
  });
});

// An executor runs while 200 writes are accepted and the connection changes: what went out before the change, went out once.
it('[sec-49] a change in the middle of a queue: each write is sent before it, or ends with it', async () => {
  await fixture.startExecutor();
  const ids = await Promise.all(
    Array.from({ length: 200 }, (_, at) => fixture.accept(seed, [{ email: `${at}@x.com` }])),
  );
  await until('the first sends', () => (sent() > 5 ? true : undefined));
  await reconnect();
  const sentAtChange = sent();
  const [running] = await fixture
    .database('calls')
    .where({ state: 'running' })
    .whereNotNull('sent_at')
    .count<{ n: string }[]>({ n: '*' });
  const ended = await Promise.all(ids.map((id) => fixture.ended(seed, id)));
  const [written, refused] = [ended.filter((o) => o.status === 'success'), ended.filter((o) => o.status === 'failure')];
  expect(refused.map(({ result }) => result)).toEqual(refused.map(() => anotherConnection));
  expect(written.length).toBe(sent());
  // What had its intent at the change may still be on its way.
  expect(sent() - sentAtChange).toBeLessThanOrEqual(Number(running?.n ?? 0) + 4);
  expect((await fixture.database('installations').where(rowOf(seed)).count({ n: '*' }))[0]).toEqual({ n: '1' });
});
