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

  it('with 429, with and without Retry-After', async () => {
    await client.fault({ action: { kind: 'status', status: 429 } });
    await client.fault({ match: { nth: 2 }, action: { kind: 'status', status: 429, retryAfterSeconds: 3 } });
    const [without, given] = [await create(), await create()];
    expect([without.status, without.body.policyName, without.headers.get('retry-after')]).toEqual([
      429,
      'TEN_SECONDLY_ROLLING',
      null,
    ]);
    expect([given.status, given.headers.get('retry-after')]).toEqual([429, '3']);
  });
});

it.each([
  ['as a date, by a clock that is right', { retryAfterForm: 'date' }, 0],
  ['as a date, by a clock that is ahead', { retryAfterForm: 'date', clockAheadSeconds: 7_200 }, 7_200],
] as const)('a wait %s: it and Date are of that clock', async (_, form, aheadSeconds) => {
  await client.fault({ action: { kind: 'quota', retryAfterSeconds: 30, ...form } });
  const before = Math.floor(Date.now() / 1000);
  const { headers } = await create();
  const [until, date] = ['retry-after', 'date'].map((name) => Date.parse(headers.get(name) ?? '') / 1000);
  expect(headers.get('retry-after')).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
  expect(until).toBe((date ?? NaN) + 30);
  expect(date).toBeGreaterThanOrEqual(before + aheadSeconds);
  expect(date).toBeLessThanOrEqual(Date.now() / 1000 + aheadSeconds);
});

it('a clock that is wrong shows in Date alone where the wait is in seconds', async () => {
  await client.fault({ action: { kind: 'status', status: 503, retryAfterSeconds: 30, clockAheadSeconds: -86_400 } });
  const { headers } = await create();
  expect(headers.get('retry-after')).toBe('30');
  expect(Date.parse(headers.get('date') ?? '')).toBeLessThan(Date.now() - 86_000_000);
});

describe('connection faults', () => {
  it('reset before: nothing happened', async () => {
    await client.fault({ action: { kind: 'reset-before' } });
    expect(await rawCreate(client)).toEqual({ text: '', ending: 'ECONNRESET' });
    expect(await client.records()).toEqual([]);
    expect((await client.ledger())[0]).toMatchObject({ status: 0, records: 1, applied: 0, fault: 'reset-before' });
  });

  it('commit then reset: the ledger knows what the caller does not', async () => {
    await client.fault({ action: { kind: 'commit-then-reset' } });
    expect(await rawCreate(client)).toEqual({ text: '', ending: 'ECONNRESET' });
    const [record] = await client.records();
    expect((await client.ledger())[0]).toMatchObject({
      status: 0,
      applied: 1,
      recordIds: [record?.id],
      fault: 'commit-then-reset',
    });
  });

  it('reset mid reply: half of it arrives', async () => {
    await client.fault({ action: { kind: 'reset-mid-reply' } });
    const { text } = await rawCreate(client);
    const [head, body] = text.split('\r\n\r\n');
    const announced = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1]);
    expect(head).toContain('HTTP/1.1 201 Created');
    expect(body?.length).toBe(Math.floor(announced / 2));
    expect(await client.records()).toHaveLength(1);
  });

  it('commit then status', async () => {
    await client.fault({ action: { kind: 'commit-then-status', status: 504 } });
    expect((await create()).status).toBe(504);
    expect(await client.records()).toHaveLength(1);
    expect((await client.ledger())[0]).toMatchObject({ status: 504, applied: 1, fault: 'commit-then-status' });
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
  it('waits and then works', async () => {
    await client.fault({ action: { kind: 'slow', delayMs: 120 } });
    const before = performance.now();
    expect((await create()).status).toBe(201);
    expect(performance.now() - before).toBeGreaterThan(115);
  });

  it('every call of an account, and peak concurrency is counted', async () => {
    await client.fault({ account: 'acme', times: 0, action: { kind: 'slow', delayMs: 600 } });
    const before = performance.now();
    await Promise.all([create(), create(), create()]);
    expect(performance.now() - before).toBeGreaterThan(595);
    expect((await client.send('GET', '/_sandbox/accounts')).body[0]).toMatchObject({ inFlight: 0, peakInFlight: 3 });
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

  it('refuses inputs of an update', async () => {
    const ids = [await client.create({}), await client.create({})];
    await client.fault({ match: { path: `${contacts}/batch/update` }, action: { kind: 'partial', inputs: [1] } });
    const { status, body } = await batch(
      'update',
      ids.map((id) => ({ id, properties: { city: 'Oslo' } })),
    );
    expect([status, body.results[0].id, body.errors[0].context.ids]).toEqual([207, ids[0], [ids[1]]]);
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
