import { ProviderError } from '@sluice/errors';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { failedOutcome, type Failing } from '../test/failed-outcome';
import type { Connector } from './connector';
import { createDeclaredApi } from './declarative/call-provider';
import { createDeclaredConnector } from './declarative/connector';
import { loadDeclarations } from './declarative/load-declarations';
import type { HttpClient, HttpRequest } from './http-client';
import { createHubspotApi } from './hubspot/call-hubspot';
import { createHubspotConnector } from './hubspot/connector';
import { hubspotUrls } from './hubspot/urls';
import { createSalesforceApi } from './salesforce/call-salesforce';
import { createSalesforceConnector } from './salesforce/connector';

const pipedrive = loadDeclarations().find(({ name }) => name === 'pipedrive');

type Watch = (request: HttpRequest) => void;

function connectorOf(provider: string, failing: Failing, watch: Watch = () => undefined): Connector {
  const send: HttpClient['send'] = (request) => {
    watch(request);
    return Promise.resolve(failedOutcome(failing));
  };
  const client: HttpClient = { send, close: () => Promise.resolve() };
  const options = { client, logger: silentLogger, metrics: createMetrics('test') };
  if (provider === 'hubspot') {
    return createHubspotConnector(createHubspotApi({ ...options, urls: hubspotUrls('v3') }), 'https://app.example/');
  }
  if (provider === 'salesforce') {
    return createSalesforceConnector(createSalesforceApi({ ...options, loginUrl: 'https://login.example' }));
  }
  if (!pipedrive) throw new Error('no such file');
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

/** A class for HubSpot, Salesforce and a declared provider. Source: reference A1, B1; RFC 6749, 5.2. */
test.each<[string, Failing, readonly [string, string, string]]>([
  ['revoked', { status: 400, json: refusal('invalid_grant') }, ['credentials', 'credentials', 'credentials']],
  [
    'HubSpot, revoked, by both',
    { status: 400, json: refusal('invalid_grant', 'BAD_REFRESH_TOKEN') },
    ['credentials', 'credentials', 'credentials'],
  ],
  [
    'HubSpot, revoked, by its status',
    { status: 400, json: refusal(undefined, 'BAD_REFRESH_TOKEN') },
    ['credentials', 'rejected', 'rejected'],
  ],
  [
    'HubSpot, uninstalled',
    { status: 400, json: refusal('access_denied', 'BAD_HUB') },
    ['credentials', 'rejected', 'credentials'],
  ],
  [
    'HubSpot, uninstalled, by its status',
    { status: 400, json: refusal(undefined, 'BAD_HUB') },
    ['credentials', 'rejected', 'rejected'],
  ],
  [
    'HubSpot, a wrong client id',
    { status: 400, json: refusal(undefined, 'BAD_CLIENT_ID') },
    ['rejected', 'rejected', 'rejected'],
  ],
  ['a refused app', { status: 400, json: refusal('invalid_client') }, ['rejected', 'rejected', 'rejected']],
  [
    'error before status, one way',
    { status: 400, json: refusal('invalid_client', 'BAD_REFRESH_TOKEN') },
    ['rejected', 'rejected', 'rejected'],
  ],
  [
    'error before status, the other way',
    { status: 400, json: refusal('invalid_grant', 'BAD_CLIENT_ID') },
    ['credentials', 'credentials', 'credentials'],
  ],
  ['401 without a code', { status: 401, json: {} }, ['rejected', 'rejected', 'rejected']],
  ['a redirect', { status: 302 }, ['rejected', 'unavailable', 'unavailable']],
  ['408', { status: 408 }, ['unavailable', 'unavailable', 'unavailable']],
  ['423', { status: 423 }, ['unavailable', 'rejected', 'unavailable']],
  ['429', { status: 429 }, ['quota', 'quota', 'quota']],
  ['a login limit', { status: 400, json: refusal('rate_limit_exceeded') }, ['rejected', 'quota', 'rejected']],
  [
    'a login limit, by its text',
    { status: 400, json: { error: 'x', error_description: 'login rate exceeded' } },
    ['rejected', 'quota', 'rejected'],
  ],
  ['477', { status: 477 }, ['unavailable', 'rejected', 'rejected']],
  ['500', { status: 500 }, ['unavailable', 'unavailable', 'unavailable']],
  [
    '503 that names revocation: the status wins',
    { status: 503, json: refusal('invalid_grant') },
    ['unavailable', 'unavailable', 'unavailable'],
  ],
  [
    '429 that names revocation: the status wins',
    { status: 429, json: refusal('invalid_grant') },
    ['quota', 'quota', 'quota'],
  ],
  ['not sent', { fault: 'not-sent' }, ['unavailable', 'unavailable', 'unavailable']],
  ['no reply', { fault: 'broken' }, ['unavailable', 'unavailable', 'unavailable']],
  ['no reply in time', { fault: 'timeout' }, ['timeout', 'timeout', 'timeout']],
  ['a 400 that is cut off', { status: 400, fault: 'broken' }, ['unavailable', 'unavailable', 'unavailable']],
  ['a 400 that comes too slowly', { status: 400, fault: 'timeout' }, ['timeout', 'timeout', 'timeout']],
  ['a 200 without token', { status: 200, json: {} }, ['unavailable', 'unavailable', 'unavailable']],
])('%s', async (_, failing, expected) => {
  const classes = ['hubspot', 'salesforce', 'pipedrive'].map(
    async (provider) => (await failureOf(provider, failing)).class,
  );
  expect(await Promise.all(classes)).toEqual(expected);
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
