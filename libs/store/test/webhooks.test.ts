import type { ClaimedMessage, EndpointKey } from '@sluice/store';
import { webhookFiltersDefault, type WebhookEvent, type WebhookFilter } from '@sluice/types';
import { delivered, failed, sealed, search, useWebhookFixture } from './webhook-fixture';

const fixture = useWebhookFixture();

const addEndpoint = (eventTypes?: readonly WebhookFilter[]) => fixture.addEndpoint(eventTypes);

/** Bodies of an endpoint's messages, oldest first. */
async function bodiesOf({ endpointId }: EndpointKey): Promise<WebhookEvent[]> {
  const rows: { payload: string }[] = await fixture
    .database('webhook_messages')
    .where({ project_id: fixture.seeded.projectId, endpoint_id: endpointId })
    .orderBy('id')
    .select('payload');
  return rows.map(({ payload }) => JSON.parse(payload) as WebhookEvent);
}
const typesOf = async (key: EndpointKey) => (await bodiesOf(key)).map(({ notificationType }) => notificationType);

const ofEmail = { field: 'mail', providerField: 'email', code: 'INVALID_EMAIL' };
const problems = [
  { ...ofEmail, message: 'secret-of-a-customer is wrong' },
  { message: 'No field: secret-of-a-customer' },
];

async function writeTogether(records: number, failing: readonly number[] = []): Promise<string> {
  const write = await fixture.accept({ records: Array.from({ length: records }, () => ({})) });
  const call = await fixture.claimOne();
  const settled = Array.from({ length: records }, (_, index) =>
    failing.includes(index)
      ? ({ index, kind: 'failed', error: { class: 'rejected', text: 'secret-of-a-customer', problems } } as const)
      : ({ index, kind: 'succeeded', providerId: `id-${index}` } as const),
  );
  await fixture.settle(call, settled);
  return write.operation.id;
}

describe('an asynchronous write that ended', () => {
  it('is reported in the published shape, without the text of the provider', async () => {
    const key = await addEndpoint();
    const operationId = await writeTogether(3, [1]);
    const [body] = await bodiesOf(key);
    const { projectId, installationId, integrationId, connectionId, groupRef } = fixture.seeded;
    expect(body).toEqual({
      version: '1',
      id: expect.any(String),
      notificationType: 'write.async.done',
      createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        projectId,
        provider: 'hubspot',
        integrationId,
        integrationName: expect.any(String),
        installationId,
        groupRef,
        groupName: groupRef,
        connectionId,
        consumerRef: 'user-1',
        consumerName: 'user-1',
        objectName: 'contacts',
        operationId,
        status: 'success',
        success: false,
        recordsSucceeded: 2,
        recordsFailed: 1,
        successfulRecordIds: ['id-0', 'id-2'],
        errors: ['rejected: 1 of 3 records'],
        problems: [{ ...ofEmail, records: 1 }, { records: 1 }],
      },
    });
    expect(JSON.stringify(body)).not.toContain('secret-of-a-customer');
    expect(Math.abs(Date.now() - Date.parse(body?.createTime ?? ''))).toBeLessThan(60_000);
  });

  it('reports success only when every record was written', async () => {
    const key = await addEndpoint();
    await writeTogether(2);
    await writeTogether(1, [0]);
    expect((await bodiesOf(key)).map(({ data }) => data)).toMatchObject([
      { success: true, status: 'success' },
      { success: false, status: 'failure' },
    ]);
  });

  it('is reported by the transaction that ends it, or not at all', async () => {
    const key = await addEndpoint();
    // The notification fails: so does the change.
    await fixture.database.raw('alter table webhook_messages add constraint refuse check (false) not valid');
    await expect(writeTogether(1)).rejects.toThrow('The database refused a value.');
    const [operation] = await fixture.database('operations').where({ project_id: key.projectId }).select('state');
    expect(operation).toEqual({ state: 'queued' });
  });

  it('has one id at all endpoints, and is not sent to an endpoint that did not subscribe, is disabled, or is of another project', async () => {
    const first = await addEndpoint(['write.async.done']);
    const second = await addEndpoint();
    const other = await addEndpoint(['connection.*', 'installation.*']);
    const disabled = await addEndpoint();
    await fixture.store.webhookEndpoints.update(disabled, { status: 'disabled' });
    const foreign = await fixture.store.projects.create({ name: 'foreign', appName: 'App', orgId: 'org' });
    const theirs = await fixture.store.webhookEndpoints.create({
      projectId: foreign.id,
      url: 'https://x.example.com',
      eventTypes: webhookFiltersDefault,
      max: 1,
      seal: () => sealed,
    });
    await writeTogether(1);
    const ids = await Promise.all([first, second].map(async (key) => (await bodiesOf(key)).map(({ id }) => id)));
    expect(ids[0]).toHaveLength(1);
    expect(ids[0]).toEqual(ids[1]);
    expect([await bodiesOf(other), await bodiesOf(disabled)]).toEqual([[], []]);
    expect(await fixture.database('webhook_messages').where({ endpoint_id: theirs?.id }).select('id')).toEqual([]);
  });
});

it('notifies of connections and installations, each change once', async () => {
  const key = await addEndpoint();
  const { projectId, connectionId, integrationId, installationId } = fixture.seeded;
  const { connections, installations } = fixture.store;
  const at = { projectId, connectionId };
  await connections.setStatus({ ...at, tokenVersion: 1, status: 'working' });
  await connections.setStatus({ ...at, tokenVersion: 1, status: 'working' });
  await connections.setStatus({ ...at, tokenVersion: 1, status: 'bad_credentials' });
  await connections.saveTokens({ ...at, tokenVersion: 1, sealed });
  await connections.saveTokens({ ...at, tokenVersion: 1, sealed });
  await connections.change({ ...at, providerMetadata: null });
  const installation = { projectId, integrationId, installationId };
  await installations.change(installation, ({ content, ...current }) => ({
    ...current,
    content: { ...content, proxy: { enabled: true } },
    createdBy: 'builder:x',
    isCreatedByAsked: false,
  }));
  await installations.change(installation, (current) => ({
    ...current,
    createdBy: 'builder:x',
    isCreatedByAsked: false,
  }));
  await installations.remove(installation);
  await installations.remove(installation);
  const bodies = await bodiesOf(key);
  expect(bodies.map(({ notificationType }) => notificationType)).toEqual([
    'connection.updated',
    'connection.error',
    'installation.unhealthy',
    'connection.refreshed',
    'connection.updated',
    'installation.updated',
    'installation.deleted',
    'connection.deleted',
  ]);
  const statuses = bodies.slice(0, 4).map(({ data }) => 'status' in data && data.status);
  expect(statuses).toEqual(['working', 'bad_credentials', false, 'created']);
  expect(bodies[6]?.data).toMatchObject({ installationId, connectionId, groupRef: 'group-1', consumerRef: 'user-1' });
});

it('notifies of what is made', async () => {
  const key = await addEndpoint(['connection.created', 'installation.created']);
  const { projectId, integrationId, revisionId } = fixture.seeded;
  const connection = await fixture.store.connections.create({
    projectId,
    provider: 'hubspot',
    groupRef: 'group-2',
    groupName: 'Second',
    consumerRef: 'user-2',
    authScheme: 'apiKey',
    seal: () => sealed,
  });
  await fixture.store.installations.create({
    projectId,
    integrationId,
    groupRef: 'group-2',
    connectionId: connection.id,
    createdBy: 'consumer:user-2',
    config: { revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:x' },
  });
  expect(await typesOf(key)).toEqual(['connection.created', 'installation.created']);
  expect((await bodiesOf(key))[1]?.data).toMatchObject({
    groupRef: 'group-2',
    groupName: 'Second',
    provider: 'hubspot',
  });
});

describe('delivery', () => {
  const { isArray } = Array;
  const claim = async (keys: EndpointKey | EndpointKey[], o: { perEndpoint?: number; leaseMs?: number } = {}) =>
    await fixture.store.webhookMessages.claim({
      endpoints: isArray(keys) ? keys : [keys],
      perEndpoint: 10,
      inFlightMax: 10,
      leaseMs: 60_000,
      ...o,
    });
  const fill = async (key: EndpointKey, n: number) => {
    for (let made = 0; made < n; made += 1) await fixture.store.webhookMessages.sendTest(key);
  };
  const past = async (table: 'webhook_messages' | 'webhook_endpoints', column: string, days: number) =>
    await fixture
      .database(table)
      .whereNotNull(column)
      .update({ [column]: fixture.database.raw('?? - make_interval(days => ?::integer)', [column, days]) });
  const settle = async (claimed: ClaimedMessage | undefined, end: object) => {
    if (claimed === undefined) throw new Error('nothing was claimed');
    return await fixture.store.webhookMessages.settle(claimed, end as typeof failed);
  };

  it('gives a message to one of many who claim at once', async () => {
    const key = await addEndpoint();
    await fill(key, 20);
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(key, { perEndpoint: 3 })));
    const ids = claims.flat().map(({ messageId }) => messageId);
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('gives it again when its lease is over, with the same id and a trace of the attempt that was lost', async () => {
    const key = await addEndpoint();
    await fill(key, 1);
    const [first] = await claim(key);
    expect(await claim(key)).toEqual([]);
    await past('webhook_messages', 'lease_until', 1);
    const [second] = await claim(key);
    expect(second).toMatchObject({ messageId: first?.messageId, attempt: 2, payload: first?.payload });
    // The first one comes back: it has no say any more, but for a success.
    await settle(first, { ...failed, pauseMs: undefined });
    const at = { ...key, messageId: first?.messageId ?? '' };
    expect(await fixture.store.webhookMessages.find(at)).toMatchObject({ status: 'pending' });
    expect(await settle(first, delivered)).toMatchObject({ ended: 'delivered' });
    expect(await settle(second, failed)).toEqual({});
    expect(await fixture.store.webhookMessages.find(at)).toMatchObject({ status: 'delivered', attempts: 2 });
    const attempts = await fixture.store.webhookMessages.listAttempts(at);
    expect(attempts).toMatchObject([
      { number: 1, class: 'delivered' },
      { number: 2, class: 'refused', responseStatus: 500, response: 'no' },
    ]);
  });

  it('finds endpoints in turn, without those that have enough under way', async () => {
    const keys = [await addEndpoint(), await addEndpoint(), await addEndpoint()];
    for (const key of keys) await fill(key, 6);
    const found = async (o: object) =>
      (await fixture.store.webhookMessages.findDue({ ...search, ...o })).map(({ endpointId }) => endpointId);
    const ids = keys.map(({ endpointId }) => endpointId).toSorted();
    expect(await found({})).toEqual(ids);
    const after = keys.find(({ endpointId }) => endpointId === ids[0]);
    expect(await found({ after, limit: 2 })).toEqual([ids[1], ids[2]]);
    await claim(keys.slice(0, 1), { perEndpoint: 4 });
    expect(await found({})).toEqual(ids.filter((id) => id !== keys[0]?.endpointId));
  });

  it('limits endpoints that fail separately, one message each', async () => {
    const keys = [await addEndpoint(), await addEndpoint(), await addEndpoint()];
    for (const key of keys) await fill(key, 2);
    for (const key of keys.slice(0, 2))
      for (const one of await claim(key, { perEndpoint: 1 })) await settle(one, failed);
    const due = await fixture.store.webhookMessages.findDue({ ...search, failingLimit: 1 });
    expect(due.filter(({ isFailing }) => isFailing)).toHaveLength(1);
    expect(due.filter(({ isFailing }) => !isFailing).map(({ endpointId }) => endpointId)).toEqual([
      keys[2]?.endpointId,
    ]);
  });

  it('fails a message after its last try, and replays it, or all that failed since a moment', async () => {
    const key = await addEndpoint();
    await fill(key, 3);
    for (const one of await claim(key)) await settle(one, { ...failed, pauseMs: undefined });
    const list = await fixture.store.webhookMessages.list(key, { state: 'failed', limit: 10 });
    expect(list).toHaveLength(3);
    expect(await fixture.store.webhookMessages.replay({ ...key, messageId: list[0]?.id ?? '' })).toMatchObject({
      status: 'pending',
      attempts: 1,
    });
    expect(await fixture.store.webhookMessages.replayFailed(key, new Date(Date.now() + 3_600_000))).toEqual({
      replayed: 0,
      isComplete: true,
    });
    expect(await fixture.store.webhookMessages.replayFailed(key, new Date(Date.now() - 3_600_000))).toMatchObject({
      replayed: 2,
    });
    const again = await claim(key);
    expect(again.map(({ tries, attempt }) => [tries, attempt])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  // What becomes of the others and of what waits: webhooks-backlog.
  it('disables an endpoint after a week of failures, and begins anew when it is enabled', async () => {
    const key = await addEndpoint();
    await fill(key, 3);
    const [one, two, three] = await claim(key);
    expect(await settle(one, failed)).toEqual({});
    await past('webhook_endpoints', 'failing_since', 6);
    expect(await settle(two, failed)).toEqual({});
    await past('webhook_endpoints', 'failing_since', 1);
    expect(await settle(three, failed)).toEqual({ disabled: 'failing', ended: 'failed' });
    const disabled = { status: 'disabled', disabledReason: 'failing' };
    expect(await fixture.store.webhookEndpoints.find(key)).toMatchObject(disabled);
    const enabled = await fixture.store.webhookEndpoints.update(key, { status: 'enabled' });
    expect(enabled).not.toHaveProperty('failingSince');
    expect(await fixture.store.webhookMessages.replayFailed(key, new Date(0))).toMatchObject({ replayed: 3 });
  });

  it('forgets a failure with the next success', async () => {
    const key = await addEndpoint();
    await fill(key, 2);
    const [one, two] = await claim(key);
    await settle(one, failed);
    expect(await fixture.store.webhookEndpoints.find(key)).toHaveProperty('failingSince');
    await settle(two, delivered);
    expect(await fixture.store.webhookEndpoints.find(key)).not.toHaveProperty('failingSince');
  });

  it('disables while attempts end, and nobody waits for ever', async () => {
    const key = await addEndpoint();
    await fill(key, 10);
    const claimed = await claim(key);
    await settle(claimed[0], failed);
    await past('webhook_endpoints', 'failing_since', 8);
    const ends = claimed.slice(1).map((one) => settle(one, failed));
    const updates = [0, 1, 2].map(() => fixture.store.webhookEndpoints.update(key, { status: 'disabled' }));
    await Promise.all([...ends, ...updates]);
    expect(await fixture.store.webhookMessages.list(key, { state: 'pending', limit: 20 })).toEqual([]);
  });

  it('knows how late the oldest message is; what waits for its next try is not late', async () => {
    const key = await addEndpoint();
    const none = { oldestDue: 0, longestUnserved: 0 };
    expect(await fixture.store.webhookMessages.lateness()).toEqual(none);
    await fill(key, 1);
    await past('webhook_messages', 'not_before', 1);
    const { oldestDue, longestUnserved } = await fixture.store.webhookMessages.lateness();
    expect(oldestDue).toBeGreaterThan(86_000);
    expect(longestUnserved).toBe(oldestDue);
    for (const one of await claim(key)) await settle(one, failed);
    expect(await fixture.store.webhookMessages.lateness()).toEqual(none);
  });

  it('purges what ended long ago with its attempts, and what belongs to no endpoint, so much at a time', async () => {
    const [key, gone] = [await addEndpoint(), await addEndpoint()];
    await fill(key, 3);
    await fill(gone, 2);
    const [one, two] = await claim(key, { perEndpoint: 2 });
    for (const each of [one, two]) await settle(each, delivered);
    await fixture
      .database('webhook_messages')
      .where({ id: one?.messageId })
      .update({ ended_at: fixture.database.raw(`now() - interval '31 days'`) });
    // Deleted by somebody who did not see its last message.
    await fixture.database('webhook_endpoints').where({ id: gone.endpointId }).delete();
    const purge = () => fixture.store.webhookMessages.purge(30, 2);
    expect([await purge(), await purge(), await purge()]).toEqual([2, 1, 0]);
    expect(await fixture.database('webhook_attempts').select('message_id')).toEqual([{ message_id: two?.messageId }]);
    await fixture.store.webhookEndpoints.remove(key);
    expect(await fixture.database('webhook_messages').select('id')).toEqual([]);
    expect(await fixture.database('webhook_attempts').select('number')).toEqual([]);
  });
});

it('lets a project have so many endpoints, also when they come at once', async () => {
  const { projectId } = fixture.seeded;
  const one = {
    projectId,
    url: 'https://x.example.com',
    eventTypes: webhookFiltersDefault,
    max: 3,
    seal: () => sealed,
  };
  const made = await Promise.all(Array.from({ length: 8 }, () => fixture.store.webhookEndpoints.create(one)));
  expect(made.filter((endpoint) => endpoint !== undefined)).toHaveLength(3);
});
