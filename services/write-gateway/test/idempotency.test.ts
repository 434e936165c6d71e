import { hubspotRefusal, restateOutcomes, sampleConfig, until, type RestatedOutcome } from '@sluice/testkit';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
let other: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway();
  other = await startGateway({ beside: gateway });
});
afterAll(async () => {
  await other.stop();
  await gateway.stop();
});
beforeEach(() => gateway.hubspot.takeAll());

const synchronous = { type: 'create', record: { email: 'a@x.com', firstname: 'Zoë' } };
const asynchronous = { ...synchronous, mode: 'asynchronous' };
const autoBatched = { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 5 } };
const associations = [{ to: { id: '7' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }] }];
const modes = [
  ['synchronous', synchronous],
  ['asynchronous', asynchronous],
  ['auto-batched', autoBatched],
] as const;

const send = (seed: Seed, key: string, body: object, through = gateway) =>
  through.write(seed, body).set('Idempotency-Key', key);
const recordsOf = async (seed: Seed): Promise<number> =>
  Number((await gateway.database('records').where({ project_id: seed.projectId }).count())[0]?.['count']);
const keysOf = async (seed: Seed): Promise<number> =>
  Number((await gateway.database('idempotency_keys').where({ project_id: seed.projectId }).count())[0]?.['count']);

describe('the same request with the same key', () => {
  it.each(modes)('%s: is written once, the first reply comes again', async (_, body) => {
    const seed = await gateway.seed();
    await gateway.write(seed, body).expect(200);
    const first = await send(seed, 'k', body).set('Sluice-Record-Ref', 'mine').expect(200);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await send(seed, 'k', body).expect(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
    for (const name of ['sluice-record-index', 'sluice-record-ref']) {
      expect(again.headers[name]).toBe(first.headers[name]);
    }
    expect(await recordsOf(seed)).toBe(2);
  });

  // Two gateways, as in production: the promise is kept by the database and not by a process.
  it.each(modes)('%s: 20 at once through two gateways make exactly one operation', async (_, body) => {
    const seed = await gateway.seed();
    const called = gateway.hubspot.calls.length;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_each, at) => send(seed, 'k', body, at % 2 === 0 ? gateway : other)),
    );
    const done = replies.filter(({ status }) => status === 200);
    const waiting = replies.filter(({ status }) => status === 409);
    expect(done.length + waiting.length).toBe(20);
    expect(new Set(done.map((reply) => (reply.body as { operationId: string }).operationId)).size).toBe(1);
    expect(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    for (const { body: problem, headers } of waiting) {
      expect(problem).toMatchObject({ code: 'request.idempotency-in-flight', retryable: true });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await recordsOf(seed)).toBe(1);
    expect(gateway.hubspot.calls.length - called).toBe(body === synchronous ? 1 : 0);
    // A reply leaves without its settlement when that takes long; until then its key is under way.
    const again = await until('the reply is kept', async () => {
      const reply = await send(seed, 'k', body);
      return reply.status === 409 ? undefined : reply;
    });
    expect([again.status, again.body]).toEqual([200, done[0]?.body]);
  });

  it('while the first call runs: 409, and the reply once it has ended', async () => {
    const seed = await gateway.seed();
    let release = (): void => undefined;
    const taken = gateway.hubspot.answer;
    const called = gateway.hubspot.calls.length;
    gateway.hubspot.answer = async (call) => {
      await new Promise<void>((resolve) => (release = resolve));
      return await taken(call);
    };
    const first = send(seed, 'k', synchronous).then((reply) => reply);
    await until('the call', () => gateway.hubspot.calls.length > called || undefined);
    const early = await send(seed, 'k', synchronous, other).expect(409);
    expect(early.body).toMatchObject({ code: 'request.idempotency-in-flight', retryable: true, status: 409 });
    expect(early.headers['retry-after']).toBe('1');
    release();
    const { body } = await first;
    expect((await send(seed, 'k', synchronous, other).expect(200)).body).toEqual(body);
    expect(gateway.hubspot.calls.length - called).toBe(1);
  });
});

describe('422 the key came with another request', () => {
  it.each<[string, object, string]>([
    ['another value', { ...synchronous, record: { email: 'b@x.com' } }, 'contacts'],
    ['another mode', asynchronous, 'contacts'],
    ['another object', synchronous, 'companies'],
  ])('%s', async (_, body, objectName) => {
    const manifest = {
      name: 'crm',
      provider: 'hubspot',
      write: { objects: [{ objectName: 'contacts' }, { objectName: 'companies' }] },
    };
    const seed = await gateway.seed({ manifest });
    await send(seed, 'k', synchronous).expect(200);
    const elsewhere = { ...seed, path: seed.path.replace(/contacts$/, objectName) };
    const reply = await send(elsewhere, 'k', body).expect(422);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.body).toMatchObject({
      code: 'request.idempotency-mismatch',
      retryable: false,
      issues: [{ in: 'header', name: 'Idempotency-Key' }],
    });
    expect(await recordsOf(seed)).toBe(1);
  });

  it('[sec-40] another project with the same key is another matter', async () => {
    const [one, two] = [await gateway.seed(), await gateway.seed()];
    const first = await send(one, 'k', asynchronous).expect(200);
    const second = await send(two, 'k', asynchronous).expect(200);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.body).not.toEqual(first.body);
  });
});

// Only accepts and final outcomes are stored; a reply with `retryable: true` removes the key.
describe('what is stored', () => {
  it('a refusal: 422 again, without another call', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(400, { category: 'VALIDATION_ERROR' });
    const first = await send(seed, 'k', synchronous).expect(422);
    gateway.hubspot.takeAll();
    const again = await send(seed, 'k', synchronous).expect(422);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('what was not done besides the record', async () => {
    const seed = await gateway.seed();
    const taken = gateway.hubspot.answer;
    gateway.hubspot.answer = (call) =>
      call.path.includes('/associations/') ? hubspotRefusal(400, { message: 'no such company' }) : taken(call);
    const update = { type: 'update', record: { id: '42', city: 'Bern' }, associations };
    const first = await send(seed, 'k', update).expect(200);
    expect(first.body).toMatchObject({
      result: { warnings: [{ message: expect.stringContaining('no such company') }] },
    });
    expect((await send(seed, 'k', update).expect(200)).body).toEqual(first.body);
  });

  it.each<[string, number, Parameters<typeof hubspotRefusal>, number]>([
    ['a refusal for now', 503, [503, {}, { 'Retry-After': '1' }], 502],
    ['refused credentials', 401, [401, { category: 'INVALID_AUTHENTICATION' }], 409],
  ])('not %s: the same request with the same key is made again', async (_, _status, answer, status) => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => hubspotRefusal(...answer);
    await send(seed, 'k', synchronous).expect(status);
    expect(await keysOf(seed)).toBe(0);
    gateway.hubspot.takeAll();
    const second = await send(seed, 'k', synchronous).expect(200);
    expect(second.headers).not.toHaveProperty('idempotent-replayed');
  });

  it('a create of unknown outcome: never sent again under its key', async () => {
    const seed = await gateway.seed();
    gateway.hubspot.answer = () => 'never';
    const first = await send(seed, 'k', synchronous).expect(504);
    gateway.hubspot.takeAll();
    const called = gateway.hubspot.calls.length;
    const again = await send(seed, 'k', synchronous).expect(504);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { code, operationId } = first.body as { code: string; operationId: string };
    expect(again.body).toMatchObject({ code, operationId, retryable: false });
    expect(gateway.hubspot.calls).toHaveLength(called);
  });

  it('an update of unknown outcome may be made again: writing it twice ends the same', async () => {
    const seed = await gateway.seed();
    const update = { type: 'update', record: { id: '42', city: 'Bern' } };
    gateway.hubspot.answer = () => 'never';
    expect((await send(seed, 'k', update).expect(504)).body).toMatchObject({ retryable: true });
    gateway.hubspot.takeAll();
    await send(seed, 'k', update).expect(200);
  });

  it('nothing that was refused before it was stored', async () => {
    const seed = await gateway.seed();
    await send(seed, 'k', { type: 'delete', record: { id: '1' } }).expect(403);
    await send(seed, 'k', { ...synchronous, groupRef: 'nobody' }).expect(404);
    expect(await keysOf(seed)).toBe(0);
    await send(seed, 'k', synchronous).expect(200);
  });
});

// The gateway died after its intent; an executor found out what became of the write and ended the operation.
describe('a synchronous write that another process ended', () => {
  const orphan = async (seed: Seed, body: object, ...outcomes: RestatedOutcome[]): Promise<string> => {
    const reply = await send(seed, 'k', body);
    const { operationId } = reply.body as { operationId: string };
    await gateway.database('idempotency_keys').where({ project_id: seed.projectId }).update({ reply: null });
    await restateOutcomes(gateway.database, operationId, ...outcomes);
    return operationId;
  };

  it('was written: the reply is made from its records', async () => {
    const seed = await gateway.seed();
    const operationId = await orphan(seed, synchronous, { outcome: 'succeeded', providerId: '77' });
    const reply = await send(seed, 'k', synchronous).expect(200);
    expect(reply.headers['idempotent-replayed']).toBe('true');
    expect(reply.body).toEqual({
      operationId,
      result: { success: true, recordId: '77', data: { email: 'a@x.com', firstname: 'Zoë', id: '77' } },
    });
  });

  // Whether a field that is written only into an empty one was written is known to nobody.
  it('an update: the reply names the warnings, and no ifEmpty field', async () => {
    const selectedFieldSettings = { city: { writeOnUpdate: 'ifEmpty' as const } };
    const config = sampleConfig({
      write: { objects: { contacts: { objectName: 'contacts', selectedFieldSettings } } },
    });
    const seed = await gateway.seed({ config });
    const update = { type: 'update', record: { id: '42', city: 'Bern', firstname: 'Zoë' } };
    await orphan(seed, update, { outcome: 'succeeded', warnings: ['an association was not made'] });
    expect((await send(seed, 'k', update).expect(200)).body).toMatchObject({
      result: {
        success: true,
        recordId: '42',
        data: { firstname: 'Zoë', id: '42' },
        warnings: [{ message: 'an association was not made' }],
      },
    });
    const { result } = (await send(seed, 'k', update).expect(200)).body as { result: { data: object } };
    expect(result.data).not.toHaveProperty('city');
  });

  it('a batch of which one was written', async () => {
    const seed = await gateway.seed();
    const batch = { type: 'create', batch: [{ record: { email: 'a@x.com' } }, { record: { email: 'b@x.com' } }] };
    const failed = { outcome: 'failed', errorClass: 'rejected', errorText: 'no' } as const;
    await orphan(seed, batch, { outcome: 'succeeded' }, failed);
    expect((await send(seed, 'k', batch).expect(200)).body).toMatchObject({
      successCount: 1,
      failureCount: 1,
      results: [{ success: true }, { success: false, errors: [{ message: 'no' }] }],
    });
  });

  it('nobody knows: 502 that forbids a repeat', async () => {
    const seed = await gateway.seed();
    await orphan(seed, synchronous, { outcome: 'unknown', errorClass: 'quarantined', errorText: 'Outcome unknown' });
    const reply = await send(seed, 'k', synchronous).expect(502);
    expect(reply.body).toMatchObject({ code: 'provider.outcome-unknown', retryable: false });
  });

  it('was not written for a reason that passes: it is made again', async () => {
    const seed = await gateway.seed();
    const outcome = { outcome: 'failed', errorClass: 'unavailable', errorText: 'away' } as const;
    const operationId = await orphan(seed, synchronous, outcome);
    const reply = await send(seed, 'k', synchronous).expect(200);
    expect((reply.body as { operationId: string }).operationId).not.toBe(operationId);
  });
});

describe('[sec-40] 400 a key that is none', () => {
  it.each([
    // No key at all would be a promise that nobody keeps.
    ['empty', '', /must not be empty/],
    ['256 characters', 'k'.repeat(256), /255 characters; this one has 256/],
    ['a blank', 'a b', /visible ASCII/],
    ['a header sent twice', 'a, b', /visible ASCII/],
  ])('%s', async (_, key, detail) => {
    const seed = await gateway.seed();
    const reply = await send(seed, key, asynchronous).expect(400);
    expect(reply.body).toMatchObject({
      code: 'request.invalid',
      detail: expect.stringMatching(detail),
      issues: [{ in: 'header', name: 'Idempotency-Key' }],
    });
    expect(await recordsOf(seed)).toBe(0);
  });
});
