import { createSandbox, type RunningSandbox } from '../src/service';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
});
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

interface Shape {
  readonly provider: string;
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: unknown;
  readonly status: number;
  readonly reply: RegExp;
  /** A body that the provider refuses, and its error. */
  readonly bad: readonly [body: unknown, status: number, reply: RegExp];
}

/** Each provider takes its own form and no other. Source: docs/contributing/providers.md, 4. */
const shapes: readonly Shape[] = [
  {
    provider: 'pipedrive',
    headers: (token) => ({ 'x-api-token': token }),
    path: '/rest/pipedrive/api/v2/persons',
    body: { name: 'Zoë' },
    status: 201,
    reply: /^\{"success":true,"data":\{"id":\d+,"name":"Zoë"/,
    bad: [{ nmae: 'x' }, 400, /"success":false,"error":"Unknown field: nmae"/],
  },
  {
    provider: 'zendeskSupport',
    headers: (token) => basic(`anna@example.com/token:${token}`),
    path: '/rest/zendeskSupport/api/v2/tickets',
    body: { ticket: { subject: 's' } },
    status: 201,
    // Its id is a number that no JavaScript number holds.
    reply: /^\{"ticket":\{"id":90071992547409\d\d,"subject":"s"/,
    bad: [{ subject: 's' }, 422, /"error":"RecordInvalid"/],
  },
  {
    provider: 'klaviyo',
    headers: (token) => ({ authorization: `Klaviyo-API-Key ${token}`, revision: '2024-10-15' }),
    path: '/rest/klaviyo/api/profiles',
    body: { data: { type: 'profile', attributes: { email: 'a@b.c' } } },
    status: 201,
    reply: /^\{"data":\{"type":"profile","id":"01SANDBOX\w+","attributes":\{"email":"a@b\.c"/,
    bad: [{ data: { type: 'lead', attributes: { email: 'a@b.c' } } }, 400, /"errors":\[\{.*"code":"invalid"/],
  },
  {
    provider: 'zoho',
    headers: (token) => ({ authorization: `Zoho-oauthtoken ${token}` }),
    path: '/rest/zoho/crm/v6/Leads',
    body: { data: [{ Last_Name: 'Z' }] },
    status: 201,
    reply: /^\{"data":\[\{"code":"SUCCESS","details":\{"id":"\d{19}"/,
    // The record is refused, and the call is not.
    bad: [{ data: [{ Email: 'a@b.c' }] }, 200, /"code":"MANDATORY_NOT_FOUND".*"status":"error"/],
  },
  {
    provider: 'close',
    headers: (token) => basic(`${token}:`),
    path: '/rest/close/api/v1/lead/',
    body: { name: 'Z' },
    status: 200,
    reply: /^\{"id":"lead_\w{22}","name":"Z"/,
    bad: [{ nmae: 'x' }, 400, /"error":"Unknown field: nmae"/],
  },
  {
    provider: 'freshdesk',
    headers: (token) => basic(`${token}:X`),
    path: '/rest/freshdesk/api/v2/contacts',
    body: { name: 'Z', email: 'a@b.c' },
    status: 201,
    reply: /^\{"id":\d{11},"active":true,"name":"Z"/,
    bad: [
      { name: 'Z', email: 'A@B.c' },
      409,
      /"errors":\[\{"field":"email","additional_info":\{"user_id":\d+\}.*"code":"duplicate_value"/,
    ],
  },
];

it.each(shapes)('$provider takes its own form, and refuses in its own words', async (shape) => {
  const { provider, path, body, bad } = shape;
  const { account, token } = await open(provider);
  const headers = shape.headers(token);
  const made = await send(path, { headers, body });
  expect([made.status, made.text]).toEqual([shape.status, expect.stringMatching(shape.reply)]);
  const refused = await send(path, { headers, body: bad[0] });
  expect([refused.status, refused.text]).toEqual([bad[1], expect.stringMatching(bad[2])]);
  expect((await send(path, { headers: shape.headers('wrong'), body })).status).toBe(401);
  expect((await send(path, { headers: { authorization: `Token ${token}` }, body })).status).toBe(401);
  const ledger = JSON.parse((await send(`/_sandbox/ledger?account=${account}`)).text) as object[];
  expect(ledger).toMatchObject([
    { provider, action: 'create', status: shape.status, records: 1, applied: 1 },
    { provider, action: 'create', status: bad[1], records: 1, applied: 0 },
  ]);
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
  const made = await send('/rest/zoho/crm/v6/Leads', { headers, body: { data: [{ Last_Name: 'old' }] } });
  const id = /"id":"(\d+)"/.exec(made.text)?.[1] ?? '';
  const find = async (name: string) =>
    (await send(`/rest/zoho/crm/v6/Leads/search?criteria=((Last_Name:equals:${name}))`, { headers })).status;
  expect(await find('old')).toBe(200);
  await send('/_sandbox/accounts', { body: { name: account, provider: 'zoho', searchLagMs: 3_600_000 } });
  await send(`/rest/zoho/crm/v6/Leads/${id}`, { method: 'PUT', headers, body: { data: [{ Last_Name: 'new' }] } });
  expect(await find('new')).toBe(204);
});

// A filter that ends early would find more than was asked for: it is refused, as at the provider.
it.each([
  ['zoho', '/crm/v6/Leads/search?criteria=((Last_Name:equals:a)or(Last_Name:equals:b))', 'Zoho-oauthtoken'],
  ['zoho', '/crm/v6/Leads/search?criteria=((Last_Name:equals:a,b))', 'Zoho-oauthtoken'],
  ['klaviyo', '/api/profiles?filter=equals(email,"a")),equals(email,"b")', 'Bearer'],
  ['klaviyo', '/api/profiles?filter=equals(email,"a"b")', 'Bearer'],
  ['zendeskSupport', '/api/v2/search.json?query=type:ticket subject:"a"b"', 'Bearer'],
])('%s refuses %s', async (provider, path, word) => {
  const { token } = await open(provider);
  const headers = { authorization: `${word} ${token}`, revision: '2024-10-15' };
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

describe('the data centre of an account', () => {
  const grants = { redirect_uri: 'https://app.example/back', client_id: 'places', client_secret: 'secret' };
  const app = { clientId: grants.client_id, clientSecret: grants.client_secret };

  async function comeBack(account: string): Promise<URLSearchParams> {
    const { client_secret: _, ...page } = grants;
    const query = new URLSearchParams({ ...page, account, state: 's' });
    const reply = await fetch(`${sandbox.url}/rest/zoho/oauth/v2/auth?${query}`, { redirect: 'manual' });
    return new URL(reply.headers.get('location') ?? '').searchParams;
  }
  async function tokensFor(grant: Record<string, string>): Promise<Record<string, string>> {
    const body = new URLSearchParams({ ...grants, ...grant });
    return (await (await fetch(`${sandbox.url}/rest/zoho/oauth/v2/token`, { method: 'POST', body })).json()) as never;
  }

  it.each([
    [undefined, 'us', 'https://accounts.zoho.com', 'https://www.zohoapis.com'],
    ['au', 'au', 'https://accounts.zoho.com.au', 'https://www.zohoapis.com.au'],
    ['ca', 'ca', 'https://accounts.zohocloud.ca', 'https://www.zohoapis.ca'],
  ])('%s is named by the return and by the token reply', async (dataCentre, location, server, api) => {
    const { account } = await open('zoho', { app, ...(dataCentre && { dataCentre }) });
    const back = await comeBack(account);
    expect(Object.fromEntries(back)).toEqual({
      state: 's',
      location,
      'accounts-server': server,
      code: expect.any(String),
    });
    const code = back.get('code') ?? '';
    expect(await tokensFor({ grant_type: 'authorization_code', code })).toMatchObject({ api_domain: api });
  });

  it('changes while the account is used, and its token replies say what a test wants', async () => {
    const { account } = await open('zoho', { app, rotateRefreshTokens: true });
    const code = (await comeBack(account)).get('code') ?? '';
    let { refresh_token = '' } = await tokensFor({ grant_type: 'authorization_code', code });
    const reported: unknown[] = [];
    for (const more of [{ dataCentre: 'eu' }, { tokenMembers: { api_domain: 'https://evil.example' } }]) {
      await send('/_sandbox/accounts', { body: { name: account, provider: 'zoho', ...more } });
      const next = await tokensFor({ grant_type: 'refresh_token', refresh_token });
      expect(next['refresh_token']).not.toBe(refresh_token);
      refresh_token = next['refresh_token'] ?? '';
      reported.push(next['api_domain']);
    }
    expect(reported).toEqual(['https://www.zohoapis.eu', 'https://evil.example']);
  });

  it.each([
    ['zoho', 'moon', 'zoho has no data centre moon. Known: us, eu, in, au, jp, cn, sa, ca, uk.'],
    ['pipedrive', 'eu', 'pipedrive has no data centre eu. Known: none.'],
    ['hubspot', 'eu', 'hubspot has no data centre eu. Known: none.'],
  ])('of %s is none that it lacks: %s', async (provider, dataCentre, detail) => {
    const { status, text } = await send('/_sandbox/accounts', { body: { name: 'nowhere', provider, dataCentre } });
    expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ detail })]);
    expect((await send('/_sandbox/accounts')).text).not.toContain('"nowhere"');
  });
});
