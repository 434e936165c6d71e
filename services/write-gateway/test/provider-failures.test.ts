import { hubspotRefusal, until } from '@sluice/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHubspot, type Answer } from './_fake-hubspot';
import { startGateway, useGateway, type Seed } from './_gateway';

const gateway = useGateway();

const create = { type: 'create', record: { email: 'a@x.com' } };
const createWithoutKey = { type: 'create', record: { firstname: 'Zoë' } };
const update = { type: 'update', record: { id: '42', city: 'Bern' } };

const statusOf = async (seed: Seed) =>
  (await gateway.context.store.connections.find(seed.projectId, seed.connectionId))?.status;
const outcomeOf = async (seed: Seed, reply: { body: unknown }) => {
  const { operationId } = reply.body as { operationId: string };
  const [record] = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
  return { operation: await gateway.context.store.operations.find(seed.projectId, operationId), record };
};

describe('429', () => {
  it('from the provider: returns when to retry, and the operation ends as failed', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(429, { policyName: 'TEN_SECONDLY_ROLLING' });
    const reply = await gateway.write(seed, create).expect(429);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.headers['retry-after']).toBe('10');
    expect(reply.body).toMatchObject({
      code: 'provider.quota-exhausted',
      retryable: true,
      retryAfter: expect.any(String),
    });
    const { operation, record } = await outcomeOf(seed, reply);
    expect(operation).toMatchObject({ status: 'failure', result: 'HubSpot says no.' });
    expect(record).toMatchObject({ status: 'failed', error: { class: 'quota' } });
    expect(await statusOf(seed)).toBe('created');
  });

  // Synchronous calls on a blocked lane answer 429 without calling.
  it('the next write of the blocked account: no call, no operation', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(429, { policyName: 'TEN_SECONDLY_ROLLING' });
    await gateway.write(seed, create).expect(429);
    gateway.hubspot.takeAll();
    const [rows, called] = [await gateway.countRows(), gateway.hubspot.calls.length];
    const reply = await gateway.write(seed, update).expect(429);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(8);
    expect(reply.body).toMatchObject({ code: 'provider.quota-exhausted', retryable: true });
    expect(reply.body).not.toHaveProperty('operationId');
    expect(gateway.hubspot.calls).toHaveLength(called);
    expect(await gateway.countRows()).toEqual(rows);
  });

  it('another account is not held up, and asynchronous writes to the blocked one are accepted', async () => {
    const [blocked, free] = [await gateway.seed(), await gateway.seed()];
    const { laneId } = await gateway.context.installations.resolve({
      withinProjectId: blocked.projectId,
      projectIdOrName: blocked.projectId,
      ...blocked,
    });
    await gateway.context.store.writes.blockLane({ projectId: blocked.projectId, laneId }, 30_000, 'quota');
    await gateway.write(blocked, create).expect(429);
    await gateway.write(free, create).expect(200);
    await gateway.write(blocked, { ...create, mode: 'asynchronous' }).expect(200);
  });
});

describe('502 and 504', () => {
  const unkeyed = { status: 502, retryable: false, code: 'provider.outcome-unknown' };
  const notApplied = { status: 502, retryable: true, code: 'provider.unavailable' };
  it.each<[string, Answer, object, { status: number; retryable: boolean; code: string }]>([
    ['an edge refusal of a create with a unique email', hubspotRefusal(503), create, notApplied],
    [
      'a Retry-After of a create without one',
      hubspotRefusal(503, {}, { 'Retry-After': '7' }),
      createWithoutKey,
      unkeyed,
    ],
    ['an edge refusal of a create without one', hubspotRefusal(503), createWithoutKey, unkeyed],
    ['a 500 of a create', hubspotRefusal(500), create, unkeyed],
    ['a cut connection of a create', 'hang-up', create, unkeyed],
    ['a 200 without an outcome', { status: 200, body: 'x' }, create, unkeyed],
    ['no reply to a create', 'never', create, { status: 504, retryable: false, code: 'provider.timeout' }],
    ['an edge refusal of an update', hubspotRefusal(503), update, notApplied],
    ['a cut connection of an update', 'hang-up', update, { ...unkeyed, retryable: true }],
    ['no reply to an update', 'never', update, { status: 504, retryable: true, code: 'provider.timeout' }],
  ])('%s', async (_case, answer, body, expected) => {
    const { status, retryable: isRetryable } = expected;
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => answer;
    const reply = await gateway.write(seed, body).expect(status);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({
      ...expected,
      status,
      operationId: expect.any(String),
      remedy: expect.any(String),
    });
    expect('retry-after' in reply.headers).toBe(isRetryable);
    const { operation, record } = await outcomeOf(seed, reply);
    expect(operation).toMatchObject({ status: 'failure', result: expect.any(String) });
    // What may have been written is not called failed, also where it may be made again.
    expect(record).toMatchObject({ status: expected.code === 'provider.unavailable' ? 'failed' : 'unknown' });
    // Sent once: nobody retries a synchronous write but its caller.
    expect(gateway.hubspot.calls).toHaveLength(1);
    expect(await statusOf(seed)).toBe('created');
  });

  it('a Retry-After of the provider reaches the caller', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(503, {}, { 'Retry-After': '7' });
    expect((await gateway.write(seed, create).expect(502)).headers['retry-after']).toBe('7');
  });

  it('nobody listens: not sent, so it may be sent again', async () => {
    const away = await startGateway({ env: { HUBSPOT_API_URL: 'http://127.0.0.1:9' } });
    const seed = await away.seed();
    const reply = await away.write(seed, createWithoutKey).expect(502);
    expect(reply.body).toMatchObject({ code: 'provider.unavailable', retryable: true });
    await away.stop();
  });
});

// A provider whose process is replaced, or a name server that is busy, is no reason to fail what somebody waits for: nothing was sent.
describe('a provider that nobody reaches at this moment', () => {
  it('is repeated: 200, and it has the record once', async () => {
    const free = await startHubspot();
    await free.close();
    const waiting = await startGateway({ env: { HUBSPOT_API_URL: free.url, SLUICE_CALL_TIMEOUT_MS: '20000' } });
    const seed = await waiting.seed();
    const replying = waiting.write(seed, createWithoutKey).then((reply) => reply);
    // Committed, so the connection is tried from now on, and refused in the next moment.
    await until('the opening', () => waiting.database('calls').first<object>('operation_id'));
    await sleep(300);
    const back = await startHubspot(Number(new URL(free.url).port));
    expect((await replying).status).toBe(200);
    expect(back.calls).toHaveLength(1);
    await waiting.stop();
    await back.close();
  });
});
