import { ProviderError } from '@sluice/errors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { captureDeclared, captureHubspot, captureSalesforce } from '../test/captured-calls';
import { failedOutcome, type Failing } from '../test/failed-outcome';
import type { Connector } from './connector';
import type { Declaration } from './declarative/declaration';
import { createDeclaredApi } from './declarative/call-provider';
import { createDeclaredConnector } from './declarative/connector';
import { loadDeclarations } from './declarative/load-declarations';
import type { HttpClient, HttpRequest } from './http-client';
import { createHubspotApi } from './hubspot/call-hubspot';
import { createHubspotConnector } from './hubspot/connector';
import { createSalesforceApi } from './salesforce/call-salesforce';
import { createSalesforceConnector } from './salesforce/connector';

const fileOf = (provider: string): Declaration => {
  const file = loadDeclarations().find(({ name }) => name === provider);
  if (file === undefined) throw new Error(`there is no file of ${provider}`);
  return file;
};
const pipedrive = fileOf('pipedrive');

type Watch = (request: HttpRequest) => void;

function connectorOf(provider: string, failing: Failing, watch: Watch = () => undefined): Connector {
  const send: HttpClient['send'] = (request) => {
    watch(request);
    return Promise.resolve(failedOutcome(failing));
  };
  const client: HttpClient = { send, close: () => Promise.resolve() };
  const options = { client, logger: silentLogger, metrics: createMetrics('test') };
  if (provider === 'hubspot') {
    return createHubspotConnector(createHubspotApi(options), 'https://app.example/');
  }
  if (provider === 'salesforce') {
    return createSalesforceConnector(createSalesforceApi({ ...options, loginUrl: 'https://login.example' }));
  }
  return createDeclaredConnector(createDeclaredApi({ ...options, file: pipedrive }));
}

/** What a refresh that met this ends with. */
async function failureOf(provider: string, failing: Failing, watch?: Watch) {
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

/** A class for HubSpot, Salesforce and a declared provider. Source: reference A1, B1; RFC 6749, 5.2. */
test.each<[string, Failing, string]>([
  ['revoked', no('invalid_grant'), 'credentials credentials credentials'],
  ['HubSpot, revoked, by both', no('invalid_grant', 'BAD_REFRESH_TOKEN'), 'credentials credentials credentials'],
  ['HubSpot, revoked, by its status', no(undefined, 'BAD_REFRESH_TOKEN'), 'credentials rejected rejected'],
  ['HubSpot, uninstalled', no('access_denied', 'BAD_HUB'), 'credentials rejected credentials'],
  ['HubSpot, uninstalled, by its status', no(undefined, 'BAD_HUB'), 'credentials rejected rejected'],
  ['HubSpot, a wrong client id', no(undefined, 'BAD_CLIENT_ID'), 'rejected rejected rejected'],
  ['a refused app', no('invalid_client'), 'rejected rejected rejected'],
  ['error before status, one way', no('invalid_client', 'BAD_REFRESH_TOKEN'), 'rejected rejected rejected'],
  ['and the other', no('invalid_grant', 'BAD_CLIENT_ID'), 'credentials credentials credentials'],
  ['401 without a code', { status: 401, json: {} }, 'rejected rejected rejected'],
  ['a redirect', { status: 302 }, 'rejected unavailable unavailable'],
  ['408', { status: 408 }, unreached],
  ['423', { status: 423 }, 'unavailable rejected unavailable'],
  ['429', { status: 429 }, 'quota quota quota'],
  ['a login limit', no('rate_limit_exceeded'), 'rejected quota rejected'],
  [
    'a login limit, by its text',
    { status: 400, json: { error: 'x', error_description: 'login rate exceeded' } },
    'rejected quota rejected',
  ],
  ['477', { status: 477 }, 'unavailable rejected rejected'],
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
  expect(failures.map((failure) => failure.class).join(' ')).toBe(expected);
});

test('the wait is the header, else the row, and only where it can be tried again', async () => {
  const waitOf = async (status: number, headers = {}) => (await failureOf('hubspot', { status, headers })).retryAfterMs;
  expect(await waitOf(429)).toBe(10_000);
  expect(await waitOf(429, { 'retry-after': '3' })).toBe(3_000);
  expect(await waitOf(477)).toBe(60_000);
  expect(await waitOf(423)).toBe(2_000);
  expect(await waitOf(503, { 'retry-after': '30' })).toBe(30_000);
  expect(await waitOf(400, { 'retry-after': '3' })).toBeUndefined();
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

const app = { clientId: 'id 1', clientSecret: 'the-client-secret' };
const inForm = { client_id: 'id 1', client_secret: 'the-client-secret' };
const refreshing = { ...app, refreshToken: 'the-refresh-token' };
const refreshed = { grant_type: 'refresh_token', refresh_token: 'the-refresh-token' };
const coming = { ...app, code: 'the-code', redirectUri: 'https://a/b', codeVerifier: 'the-verifier' };
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
