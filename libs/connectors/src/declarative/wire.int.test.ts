import { ProviderError } from '@sluice/errors';
import type { ProviderStub, StubReply } from '../../test/provider-stub';
import { useStubbedConnectors } from '../../test/stubbed-connectors';
import type { ConnectorRegistry } from '../connector';
import type { Auth } from '../requests';

const keyOf = (accessToken: string, more: Partial<Auth> = {}): Auth => ({ accessToken, kind: 'apiKey', ...more });

let stub: ProviderStub;
let connectors: ConnectorRegistry;
const { openDirect } = useStubbedConnectors((opened) => ({ stub, connectors } = opened));

/** Credentials of each provider, as a connection gives them. */
const credentials: Readonly<Record<string, Auth>> = {
  pipedrive: keyOf('k-1'),
  close: keyOf('k-2'),
  klaviyo: keyOf('pk_3'),
  freshdesk: keyOf('k-4', { workspaceRef: 'acme' }),
  zendeskSupport: { accessToken: 'YTpi', kind: 'basic', workspaceRef: 'acme' },
  zoho: { accessToken: '1000.5' },
};
const authOf = (provider: string): Auth => credentials[provider] ?? { accessToken: '' };

const fields = { name: 'Zoë' };
/** Ids as the provider has them, and some that it has not. */
const digits = [
  ['42', '4150868000000376008', '0'],
  ['abc', '12a', '1.5', '-1', ' 1', '1 ', '٣', '1'.repeat(21), '0x1f', '1e3'],
] as const;
const words = [
  ['lead_x', '01X', 'a-b', '42'],
  ['a:b', 'a b', 'a;b', 'é', 'a.b', 'a@b', 'a,b', "1' OR '1'='1", 'x'.repeat(101)],
] as const;
const formOf = (provider: string) => (provider === 'close' || provider === 'klaviyo' ? words : digits);
const writes = [
  ['pipedrive', 'persons'],
  ['close', 'lead'],
  ['klaviyo', 'profiles'],
  ['freshdesk', 'contacts'],
  ['zendeskSupport', 'tickets'],
  ['zoho', 'Leads'],
] as const;

// Ids past 2^53 come as their digits. What the replies of each provider give, the conformance suite shows at the sandbox.
it('the reply to a create and to an update: the id, and the record under it', async () => {
  stub.replyWith({ status: 200, body: '{"success":true,"data":{"id":9007199254740993,"name":"Zoë"}}' });
  const call = { auth: authOf('pipedrive'), objectName: 'persons', fields };
  const expected = { ok: true, recordId: '9007199254740993', data: { id: '9007199254740993', name: 'Zoë' } };
  expect(await connectors.get('pipedrive').create?.(call)).toEqual(expected);
  expect(await connectors.get('pipedrive').update?.({ ...call, recordId: '42' })).toEqual(expected);
});

// The sandbox takes them in other forms too.
it.each([
  ['zoho', 'Leads', 'Zoho-oauthtoken 1000.5'],
  ['freshdesk', 'contacts', `Basic ${Buffer.from('k-4:X').toString('base64')}`],
])('%s: the form of its credentials', async (provider, objectName, header) => {
  stub.replyWith({ status: 200, body: {} });
  await connectors.get(provider).create?.({ auth: authOf(provider), objectName, fields });
  expect(stub.requests[0]?.headers.authorization).toBe(header);
});

// A form of the published library asks for user name and password where the key is one of the two.
it.each([
  ['k-4:X', 'k-4:X'],
  ['k-4:', 'k-4:X'],
  ['k-4:a:b', 'k-4:X'],
])('freshdesk: the user name of %s is the key', async (given, sent) => {
  const base64 = (pair: string) => Buffer.from(pair).toString('base64');
  const auth = { accessToken: base64(given), kind: 'basic' as const, workspaceRef: 'acme' };
  stub.replyWith({ status: 200, body: {} });
  await connectors.get('freshdesk').create?.({ auth, objectName: 'contacts', fields });
  expect(stub.requests[0]?.headers.authorization).toBe(`Basic ${base64(sent)}`);
  const empty = { ...auth, accessToken: base64(':X') };
  const result = await connectors.get('freshdesk').create?.({ auth: empty, objectName: 'contacts', fields });
  expect(result).toMatchObject({
    ok: false,
    error: { class: 'credentials', message: 'the API key, which is the username here, is empty' },
  });
  expect(stub.requests).toHaveLength(1);
});

// Several filters, what ends a literal, the size of a page and what it holds: the sandbox is no judge of these.
it.each<[string, string, Readonly<Record<string, string>>, object, object?]>([
  ['pipedrive', 'persons', { emails: 'a+b@c.de&x=1' }, { term: 'a+b@c.de&x=1', fields: 'email', limit: '10' }],
  [
    'close',
    'lead',
    { name: '"} ]' },
    {},
    {
      query: { queries: [{}, { field: { type: 'regular_field', object_type: 'lead' } }] },
      _fields: { lead: ['id', 'date_created', 'name'] },
      _limit: 10,
    },
  ],
  [
    'klaviyo',
    'profiles',
    { email: 'a"b\\', external_id: '7' },
    { filter: String.raw`equals(email,"a\"b\\"),equals(external_id,"7")`, 'page[size]': '10' },
  ],
  [
    'zoho',
    'Leads',
    { Email: 'a@b.c', Company: 'A (B), C' },
    { criteria: String.raw`((Email:equals:a@b.c)and(Company:equals:A \(B\)\, C))` },
  ],
])('%s: a search on the wire', async (...[provider, objectName, asked, query, body]) => {
  stub.replyWith({
    status: 200,
    body: provider === 'pipedrive' ? { success: true, data: { items: [] } } : { data: [] },
  });
  const filters = Object.entries(asked).map(([field, value]) => ({ field, value }));
  const search = { auth: authOf(provider), objectName, filters, fields: Object.keys(asked), limit: 10 };
  await connectors.get(provider).search?.(search);
  const [request] = stub.requests;
  const sent = Object.fromEntries(new URL(request?.path ?? '', stub.url).searchParams);
  expect([sent, request?.body]).toMatchObject([query, body]);
});

// What is only alike comes first and is left out by us: a page of the caller's size would miss what it asked for.
it.each([
  ['freshdesk', 'contacts', 'email'],
  ['zendeskSupport', 'users', 'email'],
  ['zoho', 'Leads', 'Email'],
])('%s: a record after near matches is found', async (provider, objectName, field) => {
  const alike = Array.from({ length: 99 }, (_, at) => ({ id: at + 1, [field]: `a@b.c.${at}` }));
  const wanted = { id: 4_711, [field]: 'a@b.c' };
  // As the provider does: no more than were asked for.
  stub.replyWith((response) => {
    const { searchParams } = new URL(stub.requests.at(-1)?.path ?? '', stub.url);
    const rows = [...alike, wanted].slice(0, Number(searchParams.get('per_page')));
    const body = { freshdesk: rows, zendeskSupport: { results: rows }, zoho: { data: rows } }[provider];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  const filters = [{ field, value: 'a@b.c' }];
  const search = { auth: authOf(provider), objectName, filters, fields: [field], limit: 1 };
  expect(await connectors.get(provider).search?.(search)).toMatchObject({ records: [{ id: '4711' }] });
});

const create = (provider: string, objectName: string, reply: StubReply) => {
  stub.replyWith(reply);
  return connectors.get(provider).create?.({ auth: authOf(provider), objectName, fields: { email: 'a@b.c' } });
};
const ok = (body: unknown): StubReply => ({ status: 200, body: body as object });
const zohoEntry = (code: string): StubReply => {
  return { status: 202, body: { data: [{ code, message: 'no', status: 'error', details: {} }] } };
};
const resetIn2: StubReply = { status: 429, headers: { 'x-ratelimit-reset': '2' }, body: {} };
const retryIn7: StubReply = { status: 503, headers: { 'retry-after': '7' }, body: '<html>' };
const duplicate = { code: 'duplicate_profile', detail: 'there', meta: { duplicate_profile_id: '01Y' } };
const faults = ['phone: bad', 'mobile: worse'].map((text) => {
  const [field, message] = text.split(': ');
  return { field, message, code: 'x' };
});
const persons = ['pipedrive', 'persons'] as const;
const lead = ['close', 'lead'] as const;
const leads = ['zoho', 'Leads'] as const;
const ofFreshdesk = ['freshdesk', 'contacts'] as const;

// Whatever comes back, a create is a success only with an id, and each failure has one class.
it.each<[string, readonly [provider: string, objectName: string], StubReply, object]>([
  ['nothing in a 2xx', lead, { status: 200 }, { class: 'unknown' }],
  ['a page in a 2xx', lead, ok('<html>'), { class: 'unknown' }],
  ['an id that is none', lead, ok({ id: { a: 1 } }), { class: 'unknown' }],
  ['a fraction for an id', persons, ok({ success: true, data: { id: 1.5 } }), { class: 'unknown' }],
  ['no word of success', persons, ok({ data: { id: 1 } }), { class: 'unknown' }],
  ['an error inside a 2xx', persons, ok({ success: false, error: 'no' }), { class: 'rejected', message: 'no' }],
  [
    'a refusal in a 2xx',
    leads,
    zohoEntry('MANDATORY_NOT_FOUND'),
    { message: 'no (MANDATORY_NOT_FOUND)', class: 'rejected' },
  ],
  ['a record that is there, inside a 2xx', leads, zohoEntry('DUPLICATE_DATA'), { class: 'conflict' }],
  ['trouble inside a 2xx', leads, zohoEntry('INTERNAL_ERROR'), { class: 'unknown' }],
  ['a limit in a 2xx', leads, zohoEntry('TOO_MANY_REQUESTS'), { class: 'quota', scope: 'lane', retryAfterMs: 60_000 }],
  ['429, another header', persons, resetIn2, { class: 'quota', retryAfterMs: 2_000 }],
  ['429, no wait', lead, { status: 429 }, { class: 'quota', scope: 'lane', retryAfterMs: 10_000 }],
  ['503 with Retry-After where a second one would be made', lead, retryIn7, { class: 'unknown', retryAfterMs: 7_000 }],
  [
    '409 with the record',
    ['klaviyo', 'profiles'],
    { status: 409, body: { errors: [duplicate] } },
    { class: 'conflict', existingId: '01Y', message: 'there (duplicate_profile)' },
  ],
  [
    'errors of several fields',
    ofFreshdesk,
    { status: 400, body: { description: 'Validation failed', errors: faults } },
    { class: 'rejected', message: 'phone: bad; mobile: worse (x)', scope: 'record' },
  ],
  [
    'an error without a word',
    ofFreshdesk,
    { status: 400 },
    { class: 'rejected', message: 'Freshdesk answered 400 without a message' },
  ],
])('create, %s', async (_, of, reply, error) => {
  expect(await create(...of, reply)).toMatchObject({ ok: false, error });
});

it.each(writes)(
  '%s: an id of its form is sent, of another refused before anything leaves',
  async (provider, objectName) => {
    stub.replyWith({ status: 200, body: {} });
    const [own, foreign] = formOf(provider);
    const write = { auth: authOf(provider), objectName, fields };
    for (const recordId of foreign) {
      expect(await connectors.get(provider).update?.({ ...write, recordId })).toMatchObject({
        ok: false,
        error: { class: 'rejected', scope: 'record', message: expect.stringContaining('the record id') },
      });
    }
    expect(stub.requests).toEqual([]);
    for (const recordId of own) await connectors.get(provider).update?.({ ...write, recordId });
    expect(stub.requests).toHaveLength(own.length);
  },
);

// How each provider answers for a record that is not there, the conformance suite shows at the sandbox; another 404 is none, and a page is no API's.
it.each<[string, string, [recordId: string, body: unknown], string]>([
  ['klaviyo', 'profiles', ['01X', '<html>'], 'unavailable'],
  ['zendeskSupport', 'tickets', ['5', { error: 'InvalidEndpoint', description: 'Not found' }], 'rejected'],
  ['zoho', 'Leads', ['42', { code: 'INVALID_URL_PATTERN', message: 'x', status: 'error' }], 'rejected'],
])('%s: a 404 that speaks of no record', async (provider, objectName, [recordId, body], failure) => {
  stub.replyWith({ status: 404, body });
  const write = { auth: authOf(provider), objectName, recordId, fields };
  expect(await connectors.get(provider).update?.(write)).toMatchObject({ ok: false, error: { class: failure } });
});

// Without the sandbox's address in its place, the workspace decides the host that credentials are sent to.
describe('a workspace', () => {
  it.each([
    'evil.com/',
    'a@b',
    'evil.com#',
    'evil.com?',
    'a.b',
    'a:1',
    '-a',
    'a-',
    '',
    '..',
    'a b',
    'é',
    'a'.repeat(64),
  ])('like %j is refused before a token leaves', async (workspaceRef) => {
    const auth = { ...authOf('freshdesk'), workspaceRef };
    const result = await openDirect().get('freshdesk').create?.({ auth, objectName: 'contacts', fields });
    expect(result).toMatchObject({
      ok: false,
      error: { class: 'rejected', message: expect.stringContaining('providerWorkspaceRef') },
    });
  });

  it('that is not there, and a region that is none, are named', async () => {
    const call = { objectName: 'contacts', fields };
    const { workspaceRef: _, ...auth } = authOf('freshdesk');
    const missing = await openDirect()
      .get('freshdesk')
      .create?.({ ...call, auth });
    expect(missing).toMatchObject({
      ok: false,
      error: { message: 'providerWorkspaceRef is not set on the connection' },
    });
    const metadata = { region: 'evil.com' };
    const strange = await openDirect()
      .get('zoho')
      .create?.({ ...call, objectName: 'Leads', auth: { ...authOf('zoho'), metadata } });
    expect(strange).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/^providerMetadata\.region must be one of com, eu/) },
    });
  });
});

it.each<[string, string, { field: string; value: string }[], RegExp]>([
  ['freshdesk', 'contacts', [{ field: 'name', value: 'x' }], /contacts cannot be searched by name, only by email/],
  ['close', 'lead', [{ field: 'a"b', value: 'x' }], /a"b cannot be the name of a field/],
  [
    'pipedrive',
    'persons',
    [
      { field: 'email', value: 'x' },
      { field: 'name', value: 'x' },
    ],
    /takes one filter/,
  ],
  ['pipedrive', 'persons', [], /needs a filter/],
  ['zendeskSupport', 'tickets', [{ field: 'subject', value: 'a" type:user "' }], /subject has a character/],
  ['zoho', 'Leads', [{ field: 'Email', value: 'a\nb' }], /Email has a character/],
])('%s: a search that cannot be sent is refused with its reason', async (provider, objectName, filters, reason) => {
  stub.replyWith({ status: 200, body: {} });
  const asked = connectors
    .get(provider)
    .search?.({ auth: authOf(provider), objectName, filters, fields: [], limit: 5 });
  await expect(asked).rejects.toMatchObject({ class: 'rejected', detail: expect.stringMatching(reason) });
  expect(stub.requests).toEqual([]);
});

it('a page whose rows have no id is no page', async () => {
  stub.replyWith({ status: 200, body: { data: [{ name: 'x' }] } });
  const filters = [{ field: 'name', value: 'x' }];
  const asked = connectors
    .get('close')
    .search?.({ auth: authOf('close'), objectName: 'lead', filters, fields: [], limit: 5 });
  await expect(asked).rejects.toBeInstanceOf(ProviderError);
});

describe('tokens', () => {
  it('of a connection’s own client are refused as its credentials', async () => {
    stub.replyWith({ status: 401, body: { error: 'invalid_client' } });
    const asked = connectors
      .get('zoho')
      .grant?.({ grantType: 'client_credentials', clientId: 'id', clientSecret: 'client-secret' });
    await expect(asked).rejects.toMatchObject({ class: 'credentials' });
  });

  it('are allowed on a page whose address names the app and, where it is declared, the challenge', () => {
    const asked = {
      clientId: 'id',
      redirectUri: 'https://x.example/cb',
      state: 's',
      codeChallenge: 'c',
      scopes: ['a', 'b'],
    };
    const zoho = new URL(connectors.get('zoho').authorizationUrl?.(asked) ?? '');
    expect(zoho.pathname).toBe('/zoho/oauth/v2/auth');
    expect(Object.fromEntries(zoho.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'id',
      scope: 'a,b',
      state: 's',
    });
    expect(zoho.searchParams.has('code_challenge')).toBe(false);
    expect(new URL(connectors.get('klaviyo').authorizationUrl?.(asked) ?? '').searchParams.get('code_challenge')).toBe(
      'c',
    );
  });
});
