import { contacts, eventually, startClient, type Client } from './sandbox-client';

let client: Client;
beforeAll(async () => {
  client = await startClient();
});
afterAll(() => client.close());
beforeEach(() => client.reset());

describe('accounts', () => {
  it('opens one, and again gives the same', async () => {
    const request = { name: 'globex', provider: 'hubspot', token: 'pat-na1-mine', searchLagMs: 0 };
    const first = await client.send('POST', '/_sandbox/accounts', request);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      account: 'globex',
      provider: 'hubspot',
      token: 'pat-na1-mine',
      refreshToken: expect.stringMatching(/^na1-/),
      clientId: expect.any(String),
      clientSecret: expect.any(String),
      portalId: expect.any(Number),
      workspaceRef: String(first.body.portalId),
    });
    expect((await client.send('POST', '/_sandbox/accounts', request)).body).toEqual(first.body);
  });

  it.each<[string, unknown, number, string]>([
    ['no provider', { name: 'x' }, 400, 'provider'],
    ['another provider', { name: 'x', provider: 'nobody' }, 400, 'No provider nobody'],
    ['a strange name', { name: 'a b', provider: 'hubspot' }, 400, 'name'],
    ['an unknown member', { name: 'x', provider: 'hubspot', tokn: 'y' }, 400, 'tokn'],
    ['a negative lag', { name: 'x', provider: 'hubspot', searchLagMs: -1 }, 400, 'searchLagMs'],
    ['broken JSON', '{', 400, ''],
  ])('refuses %s', async (_name, body, status, named) => {
    const answer = await client.send('POST', '/_sandbox/accounts', body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.stringify(answer.body)).toContain(named);
  });

  it('are of one provider: a token is good there only, and the name is taken', async () => {
    const { body } = await client.send('POST', '/_sandbox/accounts', { name: 'umbrella', provider: 'salesforce' });
    const at = async (path: string, token: string) =>
      (await client.send('GET', path, undefined, { authorization: `Bearer ${token}` })).status;
    const paths = ['/account-info/v3/details', '/services/data/v60.0/sobjects'] as const;
    expect(await Promise.all(paths.map((path) => at(path, client.token)))).toEqual([200, 401]);
    expect(await Promise.all(paths.map((path) => at(path, body.token)))).toEqual([401, 200]);
    const taken = await client.send('POST', '/_sandbox/accounts', {
      name: 'x',
      provider: 'hubspot',
      token: client.token,
    });
    expect([taken.status, taken.body.detail]).toEqual([400, 'The token selects the account acme.']);
    const again = await client.send('POST', '/_sandbox/accounts', { name: 'umbrella', provider: 'hubspot' });
    expect([again.status, again.body.detail]).toEqual([400, expect.stringContaining('one of salesforce')]);
  });
});

describe('faults', () => {
  it.each<[string, unknown]>([
    ['no action', {}],
    ['an unknown kind', { action: { kind: 'explode' } }],
    ['a status without number', { action: { kind: 'status' } }],
    ['members of another kind', { action: { kind: 'slow', status: 500 } }],
    ['an unknown account', { account: 'nobody', action: { kind: 'reset-before' } }],
    ['a broken expression', { match: { path: '^(' }, action: { kind: 'reset-before' } }],
  ])('refuses %s', async (_name, body) => {
    expect((await client.send('POST', '/_sandbox/faults', body)).status).toBeGreaterThanOrEqual(400);
    expect((await client.send('GET', '/_sandbox/faults')).body).toEqual([]);
  });

  it('reports what they hit, and can be cleared', async () => {
    const { status, body } = await client.fault({
      account: 'acme',
      match: { method: 'GET', nth: 2 },
      action: { kind: 'status', status: 503 },
    });
    expect([status, body]).toEqual([
      201,
      {
        account: 'acme',
        match: { method: 'GET', nth: 2 },
        action: { kind: 'status', status: 503 },
        id: expect.any(String),
        seen: 0,
        hits: 0,
      },
    ]);
    const path = '/account-info/v3/details';
    expect([(await client.call('GET', path)).status, (await client.call('GET', path)).status]).toEqual([200, 503]);
    expect((await client.send('GET', '/_sandbox/faults')).body).toMatchObject([{ seen: 2, hits: 1 }]);
    expect((await client.send('DELETE', '/_sandbox/faults')).status).toBe(204);
    expect((await client.send('GET', '/_sandbox/faults')).body).toEqual([]);
  });
});

describe('ledger and records', () => {
  it('has every call in order, with what it carried and what it wrote', async () => {
    const id = await client.create({ email: 'ana@example.com' });
    await client.call('POST', contacts, { properties: { email: 'ana@example.com' } });
    await client.call('POST', `${contacts}/batch/read`, { inputs: [{ id }, { id: '1' }] });
    await client.search({});
    await client.call('POST', `${contacts}/batch/update`, 'no json');
    const ledger = await client.ledger('?account=acme');
    expect(
      ledger.map(({ method, path, action, status, records, applied }) => [
        method,
        path,
        action,
        status,
        records,
        applied,
      ]),
    ).toEqual([
      ['POST', contacts, 'create', 201, 1, 1],
      ['POST', contacts, 'create', 409, 1, 0],
      ['POST', `${contacts}/batch/read`, 'batch-read', 207, 2, 0],
      ['POST', `${contacts}/search`, 'search', 200, 0, 0],
      ['POST', `${contacts}/batch/update`, 'batch-update', 400, 0, 0],
    ]);
    expect(ledger[0]).toMatchObject({ account: 'acme', recordIds: [id], at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(ledger.map((entry) => entry.seq)).toEqual(ledger.map((_, index) => (ledger[0]?.seq ?? 0) + index));
  });

  it('lists from a moment or a sequence number on', async () => {
    await client.create({});
    const [first] = await client.ledger();
    await client.create({});
    expect(await client.ledger(`?since=${first?.seq}`)).toHaveLength(1);
    expect(await client.ledger(`?since=${first?.at}`)).toHaveLength(2);
    expect(await client.ledger('?since=2999-01-01T00:00:00Z')).toEqual([]);
    expect((await client.send('GET', '/_sandbox/ledger?since=soon')).status).toBe(400);
    expect((await client.send('GET', '/_sandbox/ledger?account=nobody')).status).toBe(404);
  });

  it('shows the records of an account as they are', async () => {
    const id = await client.create({ email: 'ana@example.com' });
    const { body } = await client.send('GET', '/_sandbox/records?account=acme&object=contacts');
    expect(body).toMatchObject([{ id, properties: { email: 'ana@example.com', hs_object_id: id } }]);
    expect((await client.send('GET', '/_sandbox/records?account=acme&object=deals')).body).toEqual([]);
    const unknown = await client.send('GET', '/_sandbox/records?account=acme&object=tickets');
    expect([unknown.status, unknown.body.issues[0].detail]).toEqual([400, 'must be one of contacts, companies, deals']);
    expect((await client.send('GET', '/_sandbox/records')).status).toBe(400);
  });

  it('begins anew: contacts, ledger and faults go, accounts stay', async () => {
    await client.create({ email: 'ana@example.com' });
    await client.fault({ account: 'acme', times: 0, action: { kind: 'status', status: 503 } });
    expect((await client.send('DELETE', '/_sandbox/state?account=acme')).status).toBe(204);
    expect([await client.records(), await client.ledger()]).toEqual([[], []]);
    expect((await client.call('POST', contacts, { properties: { email: 'ana@example.com' } })).status).toBe(201);
  });
});

it('a fresh start cuts the calls that wait, and they have no effect', async () => {
  await client.fault({ action: { kind: 'slow', delayMs: 60_000 } });
  const call = client.call('POST', contacts, { properties: {} }).catch((error: Error) => error.message);
  await eventually(async () => (await client.send('GET', '/_sandbox/faults')).body[0]?.hits || undefined);
  await client.reset();
  expect(await call).toBe('fetch failed');
  expect([await client.records(), await client.ledger()]).toEqual([[], []]);
});

it('is healthy, and closes at once although a call is held', async () => {
  const held = await startClient();
  expect((await held.send('GET', '/healthz')).status).toBe(200);
  expect((await held.send('GET', '/readyz')).status).toBe(200);
  await held.fault({ action: { kind: 'timeout' } });
  const call = held.call('GET', '/account-info/v3/details').catch((error: Error) => error.message);
  await eventually(async () => (await held.ledger())[0]);
  const before = performance.now();
  await held.close();
  expect(performance.now() - before).toBeLessThan(30_000);
  expect(await call).toBe('fetch failed');
});
