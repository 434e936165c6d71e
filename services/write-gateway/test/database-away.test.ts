import { startTcpProxy, until, type TcpProxy } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

let proxy: TcpProxy;
const gateway = useGateway({
  reach: async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  },
});
let seed: Seed;
beforeAll(async () => {
  seed = await gateway.seed();
});
afterAll(() => proxy.close());

const create = { type: 'create', record: { email: 'a@x.com' } };
const modes: [string, object][] = [
  ['synchronous', create],
  ['asynchronous', { ...create, mode: 'asynchronous' }],
  ['auto-batched', { ...create, mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 5 } }],
];

describe('the database is away', () => {
  it.each(modes)(
    '%s: 503 with Retry-After, nothing written, nothing sent; and it recovers by itself',
    async (_mode, body) => {
      await gateway.write(seed, body).expect(200);
      const [rows, called] = [await gateway.countRows(), gateway.hubspot.calls.length];
      proxy.cut();
      const reply = await gateway.write(seed, body).expect(503);
      expect(reply.type).toBe('application/problem+json');
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(reply.body).toMatchObject({ code: 'service.unavailable', retryable: true, remedy: expect.any(String) });
      expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.1|postgres/i);
      expect(await gateway.countRows()).toEqual(rows);
      expect(gateway.hubspot.calls).toHaveLength(called);
      await proxy.mend();
      await gateway.write(seed, body).expect(200);
    },
  );

  const readinessOf = async (status: number) => {
    const reply = await gateway.get('/readyz');
    return reply.status === status ? (reply.body as { checks: { postgres: string } }).checks.postgres : undefined;
  };

  it('readiness reports it, by the last check', async () => {
    proxy.cut();
    expect(await until('not ready', () => readinessOf(503))).toBe('does not answer');
    await proxy.mend();
    expect(await until('ready', () => readinessOf(200))).toBe('ok');
  });

  // After a failover: it answers every read, and a check by ping would be content.
  it('readiness reports a database that takes reads alone', async () => {
    const alter = (value: string) =>
      gateway.database.raw(
        `do $$ begin execute format('alter database %I set default_transaction_read_only to ${value}', current_database()); end $$`,
      );
    await alter('on');
    proxy.reset();
    expect(await until('not ready', () => readinessOf(503))).toBe('takes no writes');
    await gateway.write(seed, create).expect(503);
    await gateway.database.raw('set default_transaction_read_only = off');
    await alter('off');
    proxy.reset();
    expect(await until('ready', () => readinessOf(200))).toBe('ok');
    await gateway.write(seed, create).expect(200);
  });
});

/** Less than a connection may be silent without the watch; on an idle machine it is 3 s. */
const answeredMs = 25_000;

// SIGSTOP, a disk that hangs, a network that drops packets: connections stay open, and nothing is answered.
describe('the database is hung', () => {
  it.each(modes)('%s: every request is answered with 503 in time, and it recovers by itself', async (_mode, body) => {
    await gateway.write(seed, body).expect(200);
    const [rows, called] = [await gateway.countRows(), gateway.hubspot.calls.length];
    proxy.disturb({ silent: 'request' });
    const begunAtMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 20 }, () => gateway.write(seed, body)));
    expect(performance.now() - begunAtMs).toBeLessThan(answeredMs);
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 503));
    expect(replies[0]?.body).toMatchObject({ code: 'service.unavailable', remedy: expect.any(String) });
    expect((await gateway.get('/readyz').expect(503)).body).toMatchObject({ checks: { postgres: 'does not answer' } });
    expect(await gateway.countRows()).toEqual(rows);
    expect(gateway.hubspot.calls).toHaveLength(called);
    proxy.disturb();
    await until('a write', async () => ((await gateway.write(seed, body)).status === 200 ? true : undefined));
    await until('ready', async () => ((await gateway.get('/readyz')).status === 200 ? true : undefined));
  });

  // The statement arrives and commits; its answer is what is lost.
  it('an accept whose outcome is not known says so, and its repetition by the key stores nothing twice', async () => {
    const body = { ...create, mode: 'asynchronous' };
    await gateway.write(seed, body).expect(200);
    const before = (await gateway.countRows())['records'] ?? 0;
    const write = () => gateway.write(seed, body).set('Idempotency-Key', 'hung');
    proxy.silenceAfter('accept-keyed-writes');
    const reply = await write().expect(503);
    expect(reply.body).toMatchObject({
      retryable: false,
      detail: expect.stringContaining('not known whether the write was accepted'),
      remedy: expect.stringContaining('same Idempotency-Key'),
    });
    proxy.disturb();
    const again = await until('an answer', async () => {
      const repeated = await write();
      return repeated.status === 200 ? repeated : undefined;
    });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await gateway.countRows())['records']).toBe(before + 1);
  });
});

/** As it is sealed, and as its open batch counts it. */
async function countOf(operationId: string): Promise<number | undefined> {
  const [batch] = await gateway.database('open_batches').where({ operation_id: operationId }).select('records');
  const [operation] = await gateway.database('operations').where({ id: operationId }).select('records_total');
  return (
    (batch as { records: number } | undefined)?.records ??
    (operation as { records_total: number } | undefined)?.records_total
  );
}

// Nobody knows whether the COMMIT happened; asking again must neither lose nor double the write.
describe('the answer to the committing statement is lost', () => {
  it.each([
    ['asynchronous', modes[1]?.[1], 'accept-keyed-writes'],
    ['auto-batched', modes[2]?.[1], 'COMMIT'],
  ] as [string, object, string][])('%s: 200, and the record is stored once', async (mode, body, statement) => {
    await gateway.write(seed, body).expect(200);
    const before = await gateway.countRows();
    const lostBefore = proxy.lost();
    proxy.loseAnswerTo(statement);
    const write = () => gateway.write(seed, body).set('Idempotency-Key', mode).expect(200);
    const reply = await write();
    expect(proxy.lost()).toBe(lostBefore + 1);
    const after = await gateway.countRows();
    expect(after['records']).toBe((before['records'] ?? 0) + 1);
    const { operationId } = reply.body as { operationId: string };
    const stored = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
    expect(stored.map(({ index }) => String(index))).toContain(reply.headers['sluice-record-index']);
    expect(await countOf(operationId)).toBe(stored.length);
    // Its key was committed with it.
    const again = await write();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual(reply.body);
    expect((await gateway.countRows())['records']).toBe(after['records']);
  });

  // One statement that commits by itself: its answer is the answer to the COMMIT.
  it.each([
    ['asynchronous', modes[1]?.[1], 'accept-singles'],
    ['auto-batched', modes[2]?.[1], 'join-batches'],
  ] as [string, object, string][])(
    '%s without a key: 200, and the record is stored once',
    async (_, body, statement) => {
      await gateway.write(seed, body).expect(200);
      const [before, lostBefore] = [(await gateway.countRows())['records'] ?? 0, proxy.lost()];
      proxy.loseAnswerTo(statement);
      const reply = await gateway.write(seed, body).expect(200);
      expect(proxy.lost()).toBe(lostBefore + 1);
      expect((await gateway.countRows())['records']).toBe(before + 1);
      const { operationId } = reply.body as { operationId: string };
      const stored = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
      expect(stored.map(({ index }) => String(index))).toContain(reply.headers['sluice-record-index']);
      expect(await countOf(operationId)).toBe(stored.length);
    },
  );
});

describe('a synchronous write while the database goes away', () => {
  it('before the send: 503, and nothing is sent', async () => {
    proxy.loseAnswerTo('generate_series');
    const reply = await gateway.write(seed, create).expect(503);
    expect(reply.body).toMatchObject({ code: 'service.unavailable', retryable: true });
    expect(gateway.hubspot.calls).toEqual([]);
  });

  // What the provider did is known and is the reply. The lease lapses, and an executor writes the outcome down.
  it('after the send: the reply reports what the provider did', async () => {
    const answer = gateway.hubspot.answer;
    gateway.hubspot.answer = (call) => {
      proxy.cut();
      return answer(call);
    };
    const reply = await gateway.write(seed, create).expect(200);
    expect(reply.body).toMatchObject({ result: { success: true, recordId: expect.any(String) } });
    await proxy.mend();
    gateway.hubspot.takeAll();
    const { operationId } = reply.body as { operationId: string };
    const [call] = await gateway.database('calls').where({ operation_id: operationId }).select('state', 'sent_at');
    expect(call).toEqual({ state: 'running', sent_at: expect.any(Date) });
  });
});
