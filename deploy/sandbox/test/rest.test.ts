import { createSandbox, type RunningSandbox } from '../src/service';

/*
 * What the providers of a common REST form do besides their own forms of bodies, replies, errors and credentials, which our connector
 * meets in tests/flows/connector-conformance.test.ts; data centres are in tests/flows/data-centres.test.ts.
 */

let sandbox: RunningSandbox;
let now: Date | undefined;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, host: '127.0.0.1', now: () => now ?? new Date() });
});
afterEach(() => (now = undefined));
afterAll(() => sandbox.close());

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function send(path: string, { method, headers = {}, body }: Sent = {}) {
  const reply = await fetch(`${sandbox.url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

let opened = 0;
async function open(provider: string, more: object = {}): Promise<{ account: string; token: string }> {
  const reply = await send('/_sandbox/accounts', { body: { name: `rest-${(opened += 1)}`, provider, ...more } });
  return JSON.parse(reply.text) as { account: string; token: string };
}

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

it.each([
  [
    'pipedrive',
    '/api/v2/persons',
    { name: 'x', d4de1c1518b4531717c676029a45911c340390a6: 'y' },
    '"error":"Bad request"',
  ],
  ['pipedrive', '/api/v2/persons', { name: 'x', email: 'a@b.co' }, '"error":"Unknown field: email"'],
  ['pipedrive', '/api/v2/persons', { name: 'x', emails: 'a@b.co' }, '"error":"Bad request"'],
  ['pipedrive', '/api/v2/organizations', { name: 'x', address: 'Reykjavik' }, '"error":"Bad request"'],
  ['pipedrive', '/api/v2/deals', { title: 'x', value: '12' }, '"error":"Bad request"'],
  ['pipedrive', '/api/v2/persons', { nmae: 'x' }, '"success":false,"error":"Unknown field: nmae"'],
  ['zendeskSupport', '/api/v2/tickets', { ticket: {} }, '"subject":[{"error":"BlankValue"'],
  ['klaviyo', '/api/profiles', { data: { type: 'lead', attributes: {} } }, '"code":"invalid"'],
  ['zoho', '/crm/v8/Leads', { data: [{ Email: 'a@b.c' }] }, '"code":"MANDATORY_NOT_FOUND"'],
  ['close', '/api/v1/contact/', { name: 'x' }, '"error":"This field is required: lead_id"'],
])('%s %s refuses a record in its own words', async (provider, path, body, words) => {
  const { token } = await open(provider);
  const headers = { authorization: `Bearer ${token}`, revision: '2026-10-15' };
  expect((await send(`/rest/${provider}${path}`, { headers, body })).text).toContain(words);
});

it('counts calls, says so in headers, and refuses what is too much', async () => {
  const { token } = await open('freshdesk', { limits: { perTenSeconds: 2 } });
  const list = () => send('/rest/freshdesk/api/v2/contacts', { headers: basic(`${token}:X`) });
  const first = await list();
  expect([first.headers.get('x-ratelimit-total'), first.headers.get('x-ratelimit-remaining')]).toEqual(['2', '1']);
  await list();
  const third = await list();
  expect([third.status, third.headers.get('retry-after')]).toEqual([429, '2']);
});

it('search lags where the account says so, and shows a record as it was', async () => {
  const { account, token } = await open('zoho');
  const headers = { authorization: `Zoho-oauthtoken ${token}` };
  const made = await send('/rest/zoho/crm/v8/Leads', { headers, body: { data: [{ Last_Name: 'old' }] } });
  const id = /"id":"(\d+)"/.exec(made.text)?.[1] ?? '';
  const find = async (name: string) =>
    (await send(`/rest/zoho/crm/v8/Leads/search?criteria=((Last_Name:equals:${name}))`, { headers })).status;
  expect(await find('old')).toBe(200);
  await send('/_sandbox/accounts', { body: { name: account, provider: 'zoho', searchLagMs: 3_600_000 } });
  await send(`/rest/zoho/crm/v8/Leads/${id}`, { method: 'PUT', headers, body: { data: [{ Last_Name: 'new' }] } });
  expect(await find('new')).toBe(204);
});

it('pipedrive: a person is found by each address, and what is found shows their texts', async () => {
  const { token } = await open('pipedrive');
  const headers = { authorization: `Bearer ${token}` };
  const emails = [{ value: 'a@b.co', primary: true }, { value: 'second@b.co' }];
  await send('/rest/pipedrive/api/v2/persons', { headers, body: { name: 'x', emails } });
  const query = 'term=SECOND@b.co&fields=email&exact_match=true';
  const { text } = await send(`/rest/pipedrive/api/v2/persons/search?${query}`, { headers });
  expect(text).toContain('"emails":["a@b.co","second@b.co"]');
});

// A filter that ends early would find more than was asked for: it is refused, as at the provider.
it.each([
  ['zoho', '/crm/v8/Leads/search?criteria=((Last_Name:equals:a)or(Last_Name:equals:b))', 'Zoho-oauthtoken'],
  ['zoho', '/crm/v8/Leads/search?criteria=((Last_Name:equals:a,b))', 'Zoho-oauthtoken'],
  ['pipedrive', '/api/v2/persons/search?term=a@b.c&fields=emails&exact_match=true', 'Bearer'],
  ['klaviyo', '/api/profiles?filter=equals(email,"a")),equals(email,"b")', 'Bearer'],
  ['klaviyo', '/api/profiles?filter=equals(email,"a"b")', 'Bearer'],
  ['zendeskSupport', '/api/v2/search.json?query=type:ticket subject:"a"b"', 'Bearer'],
])('%s refuses %s', async (provider, path, word) => {
  const { token } = await open(provider);
  const headers = { authorization: `${word} ${token}`, revision: '2026-10-15' };
  const reply = await send(`/rest/${provider}${path}`, { headers });
  expect(reply.text).not.toContain('"results"');
  expect([200, 400, 404, 422]).toContain(reply.status);
  expect(reply.text).toMatch(/error|invalid/i);
});

it('two records without a value share no unique one', async () => {
  const { token } = await open('freshdesk');
  const make = (body: object) => send('/rest/freshdesk/api/v2/contacts', { headers: basic(`${token}:X`), body });
  for (const body of [{ name: 'a' }, { name: 'b' }, { name: 'c', email: null }, { name: 'd', email: '' }]) {
    expect((await make(body)).status).toBe(201);
  }
  expect((await make({ name: 'e', email: 'null' })).status).toBe(201);
  expect((await make({ name: 'f', email: 'NULL' })).status).toBe(409);
});

it.each([
  ['zoho', 'moon', 'zoho has no data centre moon. Known: us, eu, in, au, jp, cn, sa, ca, uk.'],
  ['pipedrive', 'eu', 'pipedrive has no data centre eu. Known: none.'],
  ['hubspot', 'eu', 'hubspot has no data centre eu. Known: none.'],
])('%s has no data centre that it lacks: %s', async (provider, dataCentre, detail) => {
  const { status, text } = await send('/_sandbox/accounts', { body: { name: 'nowhere', provider, dataCentre } });
  expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ detail })]);
  expect((await send('/_sandbox/accounts')).text).not.toContain('"nowhere"');
});

// Two years from the date of a revision. Source: Klaviyo, API versioning and deprecation policy.
it.each([
  ['2024-10-15', '2026-10-14T23:59:59Z', 200],
  ['2024-10-15', '2026-10-15T00:00:00Z', 410],
  ['2026-10-15', '2028-10-14T12:00:00Z', 200],
  ['2026-10-15', '2028-10-15T12:00:00Z', 410],
])('klaviyo answers revision %s at %s with %i', async (revision, moment, status) => {
  now = new Date(moment);
  const { token } = await open('klaviyo');
  const headers = { authorization: `Klaviyo-API-Key ${token}`, revision };
  const reply = await send('/rest/klaviyo/api/profiles?filter=equals(email,"a@b.co")', { headers });
  expect([reply.status, reply.text.includes('"code":"revision_retired"')]).toEqual([status, status === 410]);
});

// Source: docs/providers/field-reports.md, C5.
it('close passes over a name that it does not know, but not over a custom field', async () => {
  const { token } = await open('close');
  const make = (body: object) => send('/rest/close/api/v1/lead/', { headers: basic(`${token}:`), body });
  const made = await make({ name: 'A', 'field to update': 'x' });
  expect([made.status, made.text.includes('field to update')]).toEqual([200, false]);
  expect((await make({ name: 'A', 'custom.cf_none': 'x' })).status).toBe(400);
});

// Source: docs/providers/field-reports.md, C11.
it.each([
  ['close', { scope: 'all.full_access' }, false],
  ['close', { scope: 'all.full_access offline_access' }, true],
  ['close', {}, true],
  ['zoho', { scope: 'ZohoCRM.modules.ALL' }, false],
  ['zoho', { access_type: 'offline', prompt: 'consent' }, true],
])('a code of %s with %j brings a refresh token: %s', async (provider, asked, isRenewable) => {
  const isClose = provider === 'close';
  const [page, path] = isClose ? ['oauth2/authorize/', 'oauth2/token/'] : ['oauth/v2/auth', 'oauth/v2/token'];
  const app = { clientId: `app-${opened}`, clientSecret: 's' };
  await open(provider, { app });
  const redirect = { client_id: app.clientId, redirect_uri: 'https://sluice.example.org/' };
  const query = new URLSearchParams({ ...redirect, response_type: 'code', ...asked });
  const back = await fetch(`${sandbox.url}/rest/${provider}/${page}?${query}`, { redirect: 'manual' });
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const form = { ...redirect, client_secret: app.clientSecret, grant_type: 'authorization_code', code };
  const sent = { method: 'POST', body: new URLSearchParams(form) };
  const reply = await fetch(`${sandbox.url}/rest/${provider}/${path}`, sent);
  const tokens = (await reply.json()) as Record<string, unknown>;
  expect([reply.status, 'access_token' in tokens, 'refresh_token' in tokens]).toEqual([200, true, isRenewable]);
});
