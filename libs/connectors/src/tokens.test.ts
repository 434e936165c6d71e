import { ProviderError } from '@sluice/errors';
import { createLogger, createMetrics } from '@sluice/telemetry';
import { PassThrough } from 'node:stream';
import { captureDeclared, captureHubspot, captureSalesforce } from '../test/captured-calls';
import { connectorOf, fileOf } from '../test/failing-connector';
import { failedOutcome, type Failing } from '../test/failed-outcome';
import type { Connector } from './connector';
import type { HttpRequest } from './http-client';
import { createHubspotApi } from './hubspot/call-hubspot';
import { createHubspotConnector } from './hubspot/connector';

const app = { clientId: 'id 1', clientSecret: 'the-client-secret' };
const coming = { ...app, code: 'the-code', redirectUri: 'https://a/b', codeVerifier: 'the-verifier' };

/** What a refresh that met this ends with. */
async function failureOf(provider: string, failing: Failing, watch?: (request: HttpRequest) => void) {
  const request = { refreshToken: 'the-refresh-token', clientId: 'id', clientSecret: 'the-client-secret' };
  const error: unknown = await connectorOf(provider, failing, watch)
    .refresh?.(request)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error('it did not fail');
  return error;
}

const refusal = (error: string | undefined, status?: string) => ({ error, status });
/** A 400 that says this. */
const no = (...said: Parameters<typeof refusal>): Failing => ({ status: 400, json: refusal(...said) });
const unreached = 'unavailable unavailable unavailable';
const ended = 'credentials credentials credentials';

/** Class, and after how many requests it is believed. */
const classOf = ({ class: of, meta: { triesMax } }: ProviderError) => `${of}${triesMax === undefined ? '' : '?'}`;
const said = (error: string, error_description?: string, status = 400): Failing => ({
  status,
  json: { error, error_description },
});

/** A class for HubSpot, Salesforce and a declared provider; with `?` time decides. Source: reference A1, B1; RFC 6749, 5.2. */
test.each<[string, Failing, string]>([
  ['revoked, without a word of it', no('invalid_grant'), 'credentials? credentials? credentials?'],
  ['revoked', said('invalid_grant', 'Refresh token was revoked'), 'credentials credentials credentials'],
  ['expired', said('invalid_grant', 'expired access/refresh token'), 'credentials credentials credentials'],
  ['expired, with 401', said('invalid_grant', 'token expired', 401), 'credentials credentials credentials'],
  ['expired, with 200', said('invalid_grant', 'token expired', 200), 'credentials credentials credentials'],
  ['HubSpot, revoked, by both', no('invalid_grant', 'BAD_REFRESH_TOKEN'), 'credentials credentials? credentials?'],
  ['HubSpot, revoked, by its status', no(undefined, 'BAD_REFRESH_TOKEN'), 'credentials unavailable unavailable'],
  ['HubSpot, uninstalled', no('access_denied', 'BAD_HUB'), 'credentials credentials? credentials?'],
  ['HubSpot, uninstalled, by its status', no(undefined, 'BAD_HUB'), 'credentials unavailable unavailable'],
  ['HubSpot, a wrong client id', no(undefined, 'BAD_CLIENT_ID'), 'rejected unavailable unavailable'],
  ['a refused app', no('invalid_client'), 'rejected rejected rejected'],
  ['a refused app, with 200', said('unauthorized_client', undefined, 200), 'rejected rejected rejected'],
  ['a refused secret', said('invalid_client_secret', undefined, 200), 'rejected rejected rejected'],
  ['error before status, one way', no('invalid_client', 'BAD_REFRESH_TOKEN'), 'rejected rejected rejected'],
  ['and the other', no('invalid_grant', 'BAD_CLIENT_ID'), 'credentials? credentials? credentials?'],
  ['another refresh', said('invalid_grant', 'token request is already being processed'), unreached],
  ['another refresh, older', said('invalid_grant', 'expired authorization code'), unreached],
  ['a concurrent one', said('invalid_grant', 'Concurrent refresh of this token'), unreached],
  ['one in progress', said('invalid_grant', 'Another refresh is in progress'), unreached],
  ['simultaneous ones', said('invalid_grant', 'simultaneous refresh token requests'), unreached],
  ['an unknown error', said('invalid_grant', 'An unknown error occurred, please try again later'), unreached],
  ['an unknown error that lasts', said('invalid_grant', 'unknown error'), 'credentials? credentials? credentials?'],
  // The same in other forms of a body.
  ['a list', { status: 400, json: [{ error: 'invalid_grant', error_description: 'revoked' }] }, ended],
  ['a list of words', { status: 400, json: { errors: ['invalid_grant'] } }, 'credentials? credentials? credentials?'],
  ['a word in a list', { status: 400, json: { error: ['invalid_grant'], message: 'expired' } }, ended],
  ['an object', { status: 400, json: { error: { code: 'invalid_grant', message: 'was revoked' } } }, ended],
  ['a text alone', { status: 400, text: 'invalid_grant' }, 'credentials? credentials? credentials?'],
  ['a JSON text', { status: 401, json: 'invalid_client' }, 'rejected rejected rejected'],
  ['a page with the word', { status: 400, text: '<p>invalid_grant</p>' }, unreached],
  ['upper case', said('INVALID_GRANT', 'Expired'), ended],
  ['a code of the token', said('invalid_token', 'The token has expired', 401), ended],
  [
    'a sentence without a code',
    { status: 400, json: { success: false, message: 'Refresh token is invalid' } },
    'credentials? credentials? credentials?',
  ],
  ['Salesforce, an app that was removed', said('app_not_found'), 'unavailable credentials unavailable'],
  ['Salesforce, a user that was', said('inactive_user', 'user is inactive'), 'unavailable credentials unavailable'],
  ['maintenance', said('invalid_grant', 'The service is under maintenance'), unreached],
  ['a code of RFC 6749, 4.1.2.1', said('temporarily_unavailable', undefined, 400), unreached],
  ['401 without a code', { status: 401, json: {} }, unreached],
  ['403 with a page', { status: 403 }, unreached],
  ['an endpoint that is gone', { status: 410 }, unreached],
  [
    'an endpoint that is not there',
    { status: 404, json: { status: 'error', message: 'resource not found' } },
    unreached,
  ],
  ['a code that nobody knows', said('computer_says_no'), unreached],
  ['a redirect', { status: 302 }, unreached],
  ['408', { status: 408 }, unreached],
  ['423', { status: 423 }, unreached],
  ['429', { status: 429 }, 'quota quota quota'],
  ['a login limit', no('rate_limit_exceeded'), 'unavailable quota unavailable'],
  ['a login limit, by its text', said('x', 'login rate exceeded'), 'unavailable quota unavailable'],
  ['477', { status: 477 }, unreached],
  ['500', { status: 500 }, unreached],
  ['503 that names revocation: the status wins', { ...no('invalid_grant'), status: 503 }, unreached],
  ['429 that names revocation: the status wins', { ...no('invalid_grant'), status: 429 }, 'quota quota quota'],
  ['not sent', { fault: 'not-sent' }, unreached],
  ['no reply', { fault: 'broken' }, unreached],
  ['no reply in time', { fault: 'timeout' }, 'timeout timeout timeout'],
  ['a 400 that is cut off', { status: 400, fault: 'broken' }, unreached],
  ['a 400 that comes too slowly', { status: 400, fault: 'timeout' }, 'timeout timeout timeout'],
  ['a 200 without token', { status: 200, json: {} }, unreached],
])('%s', async (_, failing, expected) => {
  const failures = await Promise.all(['hubspot', 'salesforce', 'pipedrive'].map((each) => failureOf(each, failing)));
  expect(failures.map(classOf).join(' ')).toBe(expected);
});

test('what proves nothing of the client names status and path, and sends nobody to the client secret', async () => {
  const gone = await failureOf('hubspot', { status: 410 });
  expect(gone.detail).toMatch(
    /^HubSpot gave no token: it answered 410 to POST \/oauth\/\S+: the token endpoint is not there$/,
  );
  const page = await failureOf('salesforce', { status: 405 });
  expect(page.detail).toBe('Salesforce gave no token: it answered 405 to POST /services/oauth2/token');
  const odd = await failureOf('pipedrive', said('computer_says_no', 'not today'));
  expect(odd.detail).toBe('Pipedrive gave no token: it answered 400 to POST /oauth/token: computer_says_no: not today');
});

test('a reply that nothing reads is logged once of its form, without its values', async () => {
  const destination = new PassThrough({ encoding: 'utf8' });
  const lines: string[] = [];
  destination.on('data', (line: string) => lines.push(line));
  const json = { error: { reason: 'canary-1' }, mails: [{ of: 'canary-2' }] };
  const client = { send: () => Promise.resolve(failedOutcome({ status: 418, json })), close: () => Promise.resolve() };
  const logger = createLogger({ service: 'test', level: 'info', destination });
  const api = createHubspotApi({ client, logger, metrics: createMetrics('test') });
  const connector = createHubspotConnector(api, 'https://app.example/');
  for (let sent = 0; sent < 3; sent += 1)
    await connector.refresh?.({ ...app, refreshToken: 'refresh' }).catch(() => undefined);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    event: 'provider.reply-unread',
    status: 418,
    path: expect.stringMatching(/^\/oauth\//),
    excerpt: '{error: {reason}, mails: [{of}]}',
  });
  expect(lines.join('')).not.toContain('canary');
});

/** Of a refresh, and of the exchange of a code: class and the end of the first half of the text. */
test.each<[string, Failing, string, string]>([
  ['zoho', said('invalid_code', undefined, 200), 'credentials', 'the customer must connect again: invalid_code'],
  [
    'zoho',
    said('invalid_client_secret', undefined, 200),
    'rejected',
    'refuses the provider app: invalid_client_secret',
  ],
  ['zendeskSupport', said('invalid_client', 'gone', 401), 'rejected', 'refuses the provider app: invalid_client: gone'],
  ['klaviyo', said('invalid_grant', 'revoked', 200), 'credentials', 'connect again: invalid_grant: revoked'],
  [
    'close',
    { status: 400, json: { errors: [{ code: 'invalid_grant', detail: 'expired' }] } },
    'credentials',
    'connect again: invalid_grant: expired',
  ],
  ['zoho', said('Access Denied', 'You have made too many requests', 400), 'unavailable', 'made too many requests'],
])('%s, %j', async (provider, failing, expected, text) => {
  const failed = {
    class: expected,
    detail: expect.stringContaining(text),
    meta: expect.not.objectContaining({ triesMax: 1 }),
  };
  const connector = connectorOf(provider, failing) as Required<Connector>;
  await expect(connector.refresh({ ...app, workspaceRef: 'acme', refreshToken: 'refresh' })).rejects.toMatchObject(
    failed,
  );
  await expect(connector.exchangeCode({ ...coming, workspaceRef: 'acme' })).rejects.toMatchObject(failed);
});

test('the wait is the header, else the row, and only where it can be tried again', async () => {
  const waitOf = async (status: number, headers = {}) => (await failureOf('hubspot', { status, headers })).retryAfterMs;
  expect(await waitOf(429)).toBe(10_000);
  expect(await waitOf(429, { 'retry-after': '3' })).toBe(3_000);
  expect(await waitOf(477)).toBe(60_000);
  expect(await waitOf(423)).toBe(2_000);
  expect(await waitOf(503, { 'retry-after': '30' })).toBe(30_000);
  const refused = { ...no('invalid_client'), headers: { 'retry-after': '3' } };
  expect((await failureOf('hubspot', refused)).retryAfterMs).toBeUndefined();
});

test.each(['hubspot', 'salesforce', 'pipedrive'])('%s: no text holds a secret', async (provider) => {
  const json = { error: 'invalid_grant', error_description: 'the-refresh-token of the-client-secret is gone' };
  const { detail } = await failureOf(provider, { status: 400, json });
  expect(detail).toMatch(/the customer must connect again: invalid_grant: \[secret\] of \[secret\] is gone$/);
});

// Anybody can make a return, and the tokens of one are in nobody's share of memory.
test.each(['hubspot', 'salesforce', 'pipedrive'])('%s: a token reply is read up to 256 kB', async (provider) => {
  const sent: HttpRequest[] = [];
  await failureOf(provider, { status: 500 }, (request) => sent.push(request));
  expect(sent.map(({ bytesMax }) => bytesMax)).toEqual([262_144]);
});

const inForm = { client_id: 'id 1', client_secret: 'the-client-secret' };
const refreshing = { ...app, refreshToken: 'the-refresh-token' };
const refreshed = { grant_type: 'refresh_token', refresh_token: 'the-refresh-token' };
const came = { grant_type: 'authorization_code', redirect_uri: 'https://a/b', code: 'the-code' };
const ofUser = { ...app, grantType: 'password', username: 'u@acme', password: 'pass' } as const;
const ofClient = { ...app, grantType: 'client_credentials', workspaceRef: 'acme' } as const;

function captureOf(provider: string, json: object) {
  if (provider === 'hubspot') return captureHubspot(() => json);
  return provider === 'salesforce' ? captureSalesforce(() => json) : captureDeclared(fileOf(provider), () => json);
}

const withVerifier = { ...came, code_verifier: 'the-verifier', ...inForm };
const userForm = { grant_type: 'password', username: 'u@acme', password: 'pass', ...inForm };
const basic = { authorization: `Basic ${Buffer.from('id%201:the-client-secret').toString('base64')}` };
const atSalesforce = '/services/oauth2/token';

/** Where each request for tokens goes, and its form. Source: RFC 6749, 4.1.3, 4.3, 4.4 and 6; RFC 7636, 4.5. */
test.each<[string, string, (connector: Required<Connector>) => Promise<unknown>, string, object, object?]>([
  ['hubspot', 'a refresh', (of) => of.refresh(refreshing), '/oauth/2026-03/token', { ...refreshed, ...inForm }],
  ['hubspot', 'a code', (of) => of.exchangeCode(coming), '/oauth/2026-03/token', withVerifier],
  ['salesforce', 'a refresh', (of) => of.refresh(refreshing), atSalesforce, { ...refreshed, ...inForm }],
  ['salesforce', 'a code', (of) => of.exchangeCode(coming), atSalesforce, withVerifier],
  ['salesforce', 'a client', (of) => of.grant(ofClient), atSalesforce, { grant_type: 'client_credentials', ...inForm }],
  ['salesforce', 'a user', (of) => of.grant(ofUser), atSalesforce, userForm],
  ['zoho', 'a code without a challenge', (of) => of.exchangeCode(coming), '/oauth/v2/token', { ...came, ...inForm }],
  ['pipedrive', 'the app as user of the request', (of) => of.refresh(refreshing), '/oauth/token', refreshed, basic],
])('%s, %s: what is sent', async (...[provider, , ask, path, form, headers = {}]) => {
  const { connector, taken } = captureOf(provider, { access_token: 'new' });
  await ask(connector);
  expect(taken().map((sent) => [sent.method, sent.path, sent.form, sent.headers])).toEqual([
    ['POST', path, form, headers],
  ]);
});

const salesforceReply = {
  instance_url: 'https://Acme--uat.sandbox.my.salesforce.com',
  id: 'https://test.salesforce.com/id/00Dak000000000OEAA/005ak000000000UAAA',
  scope: 'api refresh_token',
};

test.each<[string, object, object]>([
  ['hubspot', {}, {}],
  [
    'hubspot',
    { refresh_token: 'r', expires_in: 1_800, hub_id: 4_711, user_id: 99, scopes: ['oauth'] },
    {
      refreshToken: 'r',
      expiresAt: expect.any(Date) as Date,
      scopes: ['oauth'],
      workspaceRef: '4711',
      consumerRef: '99',
    },
  ],
  // A rotated refresh token comes along; no end of life is reported.
  [
    'salesforce',
    { ...salesforceReply, refresh_token: 'r', expires_in: 1_800 },
    {
      refreshToken: 'r',
      scopes: ['api', 'refresh_token'],
      workspaceRef: 'acme--uat.sandbox',
      accountId: '00Dak000000000O',
      consumerRef: '005ak000000000UAAA',
    },
  ],
  ['pipedrive', { refresh_token: 'r', scope: 'a,b' }, { refreshToken: 'r', scopes: ['a', 'b'] }],
])('%s: what the reply %j gives', async (provider, reply, expected) => {
  const { connector } = captureOf(provider, { access_token: 'new', ...reply });
  const beforeMs = Date.now();
  const tokens = await connector.refresh(refreshing);
  expect(tokens).toEqual({ accessToken: 'new', ...expected });
  if (tokens.expiresAt === undefined) return;
  expect(Number(tokens.expiresAt)).toBeGreaterThanOrEqual(beforeMs + 1_800_000);
  expect(Number(tokens.expiresAt)).toBeLessThanOrEqual(Date.now() + 1_800_000);
});
