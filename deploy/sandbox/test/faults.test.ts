import { contacts, eventually, rawCreate, startClient, type Client } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0 } });
});
afterAll(() => client.close());
beforeEach(() => client.reset());

const create = () => client.call('POST', contacts, { properties: { firstname: 'Ana' } });

describe('refuse before commit', () => {
  const json = 'application/json;charset=utf-8';
  it.each<[string, object, string | null, string]>([
    ['a status alone: HTML from the edge', { status: 503 }, 'text/html', '<title>503 Service Unavailable</title>'],
    ['a status alone: JSON of HubSpot', { status: 500 }, json, '"category":"INTERNAL_ERROR"'],
    ['an expired token', { status: 401 }, json, '"category":"EXPIRED_AUTHENTICATION"'],
    ['missing scopes', { status: 403 }, json, '"category":"MISSING_SCOPES"'],
    ['a locked portal', { status: 423 }, json, '"message":"Locked"'],
    ['its own JSON', { status: 477, body: { message: 'moving' } }, json, '{"message":"moving"}'],
    ['its own HTML', { status: 403, body: '<html>WAF</html>' }, 'text/html', '<html>WAF</html>'],
    ['its own text', { status: 502, body: 'bad gateway' }, 'text/plain', 'bad gateway'],
    ['nothing at all', { status: 400, body: '' }, null, ''],
  ])('with %s', async (_name, reply, type, text) => {
    const { status, ...rest } = { status: 500, ...reply };
    await client.fault({ action: { kind: 'status', status, ...rest } });
    const answer = await create();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expect(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)).toContain(text);
    expect(await client.records()).toEqual([]);
    expect((await client.ledger())[0]).toMatchObject({
      status,
      records: 1,
      applied: 0,
      recordIds: [],
      fault: 'status',
    });
    expect((await create()).status).toBe(201);
  });
});

describe('connection faults', () => {
  it('reset mid reply: half of it arrives', async () => {
    await client.fault({ action: { kind: 'reset-mid-reply' } });
    const { text } = await rawCreate(client);
    const [head, body] = text.split('\r\n\r\n');
    const announced = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1]);
    expect(head).toContain('HTTP/1.1 201 Created');
    expect(body?.length).toBe(Math.floor(announced / 2));
    expect(await client.records()).toHaveLength(1);
  });
});

/** A create whose caller waits until the sandbox has it, and leaves. */
async function leave(): Promise<void> {
  const leaving = new AbortController();
  const body = JSON.stringify({ properties: { firstname: 'Ana' } });
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const sent = fetch(client.url + contacts, { method: 'POST', body, headers, signal: leaving.signal });
  const left = sent.catch((error: Error) => error.message);
  await client.inFlight(1);
  leaving.abort();
  expect(await left).toContain('aborted');
}

describe('timeout', () => {
  it('holds the connection, cuts it in the end, and does nothing', async () => {
    await client.fault({ action: { kind: 'timeout', delayMs: 100 } });
    expect(await rawCreate(client)).toEqual({ text: '', ending: 'ECONNRESET' });
    expect((await client.ledger())[0]).toMatchObject({ status: 0, applied: 0, fault: 'timeout' });
    expect(await client.records()).toEqual([]);
  });

  it('may do the work first', async () => {
    await client.fault({ action: { kind: 'timeout', delayMs: 60_000, commit: 'first' } });
    await leave();
    expect(await client.records()).toHaveLength(1);
    expect((await client.ledger())[0]).toMatchObject({ status: 0, applied: 1 });
  });

  // The delayed duplicate: a caller that repeats its call before the first one took effect.
  it('may do the work long after the caller has left', async () => {
    await client.fault({ action: { kind: 'timeout', delayMs: 4_000, commit: 'last' } });
    await leave();
    expect(await client.ledger()).toEqual([]);
    expect((await create()).status).toBe(201);
    const late = await eventually(async () => (await client.ledger())[1]);
    expect(late).toMatchObject({ status: 0, applied: 1, fault: 'timeout' });
    expect(late.tookMs).toBeGreaterThanOrEqual(3_995);
    expect(await client.records()).toHaveLength(2);
  });
});

describe('slow', () => {
  it('every call of an account at once', async () => {
    await client.fault({ account: 'acme', times: 0, action: { kind: 'slow', delayMs: 600 } });
    const before = performance.now();
    await Promise.all([create(), create(), create()]);
    expect(performance.now() - before).toBeGreaterThan(595);
    expect((await client.send('GET', '/_sandbox/accounts')).body[0]).toMatchObject({ inFlight: 0 });
  });

  it('works for a caller that has left, and says so', async () => {
    await client.fault({ action: { kind: 'slow', delayMs: 2_000 } });
    await leave();
    expect(await eventually(async () => (await client.ledger())[0])).toMatchObject({ status: 0, applied: 1 });
  });
});

describe('partial', () => {
  const batch = (kind: string, inputs: unknown) => client.call('POST', `${contacts}/batch/${kind}`, { inputs });
  const traced = [0, 1, 2].map((index) => ({
    properties: { email: `n${index}@example.com` },
    objectWriteTraceId: `t${index}`,
  }));

  it('refuses chosen inputs of a create', async () => {
    await client.fault({ action: { kind: 'partial', inputs: [0, 2], category: 'RATE_LIMITS', message: 'busy' } });
    const { status, body } = await batch('create', traced);
    expect([status, body.results.length]).toEqual([207, 1]);
    expect(body.errors).toEqual([
      { status: 'error', category: 'RATE_LIMITS', message: 'busy', context: { objectWriteTraceId: ['t0'] } },
      { status: 'error', category: 'RATE_LIMITS', message: 'busy', context: { objectWriteTraceId: ['t2'] } },
    ]);
    expect((await client.ledger())[0]).toMatchObject({ records: 3, applied: 1, status: 207, fault: 'partial' });
  });

  it('refuses the whole call where it is all or nothing, and a single write', async () => {
    await client.fault({ times: 2, action: { kind: 'partial', category: 'INTERNAL_ERROR' } });
    expect(
      (
        await batch(
          'create',
          traced.map(({ properties }) => ({ properties })),
        )
      ).status,
    ).toBe(500);
    expect((await create()).status).toBe(500);
    expect(await client.records()).toEqual([]);
  });
});

it('each ledger entry has the writes of its own call, however many run at once', async () => {
  await client.fault({ times: 0, action: { kind: 'slow', delayMs: 20 } });
  await Promise.all(Array.from({ length: 40 }, create));
  const ledger = await client.ledger();
  expect(ledger.map((entry) => entry.applied)).toEqual(Array.from({ length: 40 }, () => 1));
  expect(new Set(ledger.flatMap((entry) => entry.recordIds)).size).toBe(40);
});

it('a call refused for a limit meets no fault', async () => {
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', limits: { perTenSeconds: 1 } });
  await create();
  await client.fault({ action: { kind: 'reset-before' } });
  expect((await create()).status).toBe(429);
  expect((await client.send('GET', '/_sandbox/faults')).body[0]).toMatchObject({ seen: 0, hits: 0 });
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', limits: { perTenSeconds: 0 } });
});
