import { contacts, startClient, type Client } from './sandbox-client';

let now = new Date('2026-01-01T00:00:00.000Z');
let client: Client;
beforeEach(async () => {
  client = await startClient({ now: () => now }, { limits: { perTenSeconds: 2, searchesPerSecond: 1 } });
});
afterEach(() => client.close());

const details = () => client.call('GET', '/account-info/v3/details');

it('refuses the call over the limit with the 429 of HubSpot and without Retry-After, until the window slides', async () => {
  const first = await details();
  expect(first.headers.get('x-hubspot-ratelimit-max')).toBe('2');
  expect(first.headers.get('x-hubspot-ratelimit-remaining')).toBe('1');
  expect(first.headers.get('x-hubspot-ratelimit-interval-milliseconds')).toBe('10000');
  await details();
  const refused = await client.call('POST', contacts, { properties: {} });
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBeNull();
  expect(refused.headers.get('x-hubspot-ratelimit-remaining')).toBe('0');
  expect(refused.body).toMatchObject({
    status: 'error',
    message: 'You have reached your ten_secondly_rolling limit.',
    errorType: 'RATE_LIMIT',
    policyName: 'TEN_SECONDLY_ROLLING',
    groupName: expect.stringContaining(String(client.portalId)),
    correlationId: expect.any(String),
    requestId: expect.any(String),
  });
  expect(await client.records()).toEqual([]);
  now = new Date(now.getTime() + 10_000);
  expect((await details()).status).toBe(200);
});

it('limits each account by itself', async () => {
  const globex = (await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'hubspot' })).body;
  await details();
  await details();
  expect((await details()).status).toBe(429);
  const other = await client.send('GET', '/account-info/v3/details', undefined, {
    authorization: `Bearer ${globex.token}`,
  });
  expect([other.status, other.body.portalId]).toEqual([200, globex.portalId]);
});

it.each([[{}], [{ authorization: 'Bearer unknown' }], [{ authorization: 'Basic abc' }]])(
  'answers 401 to %j',
  async (headers) => {
    const { status, headers: sent, body } = await client.send('GET', `${contacts}/1`, undefined, headers);
    expect(status).toBe(401);
    expect(sent.get('content-type')).toBe('application/json;charset=utf-8');
    expect(body).toMatchObject({
      status: 'error',
      category: 'INVALID_AUTHENTICATION',
      message: expect.stringContaining('Authentication credentials not found'),
    });
    expect((await client.ledger())[0]).toMatchObject({ account: null, status: 401 });
  },
);

it('keeps accounts apart: ids and emails of one mean nothing in another', async () => {
  const id = await client.create({ email: 'ana@example.com' });
  const globex = (await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'hubspot' })).body;
  const headers = { authorization: `Bearer ${globex.token}` };
  expect((await client.send('GET', `${contacts}/${id}`, undefined, headers)).status).toBe(404);
  expect((await client.send('POST', contacts, { properties: { email: 'ana@example.com' } }, headers)).status).toBe(201);
});
