import type { FailureRow } from './failure-table';

/*
 * How a request for tokens ends, at every provider. Load and transport first; then the words of the body, whatever its status: a 200 can carry an error,
 * and a 400 one that passes. Only what a reply says of the client blames the provider app, and only what it says of the grant ends a connection.
 */

/** Before the rows of a provider. A reply that is not whole keeps its status, but for one that is late. */
const firstRows: readonly FailureRow[] = [
  {
    signal: 'no whole reply within the call timeout',
    fault: ['timeout'],
    class: 'timeout',
    fact: 'recorded: A1: no response is transient',
  },
  {
    signal: 'no reply',
    fault: ['not-sent', 'broken', 'aborted', 'too-large'],
    class: 'unavailable',
    fact: 'recorded: A1: no response is transient',
  },
];

const loadRows: readonly FailureRow[] = [
  { status: [429], class: 'quota', fact: 'documented: RFC 6585, 4' },
  {
    status: [408, 420, 421, 423, 425, 477, '5xx'],
    class: 'unavailable',
    fact: 'documented: A1, B1: load, also of a 503 that carries invalid_grant',
  },
  { not: ['whole'], class: 'unavailable', fact: 'assumed: does not concern the grant' },
];

/** Codes that speak of the client: RFC 6749, 5.2, and what providers have in their place. */
const clientCodes = [
  'invalid_client',
  'unauthorized_client',
  'invalid_client_id',
  'invalid_client_secret',
  'invalid_client_credentials',
  'invalid_app_access',
  'BAD_CLIENT_ID',
  'BAD_CLIENT_SECRET',
];

/** Parts of a description that say that a grant has ended. */
const endedWords = [
  'revoked',
  'expired',
  'invalid refresh token',
  'refresh token is invalid',
  'refresh token invalid',
  'is not valid',
  'inactive',
  'deactivated',
  'uninstalled',
  'not found',
  'does not exist',
  'unknown refresh',
  'unknown token',
  'no longer',
  'already been used',
  'is gone',
  'token gone',
  'account gone',
  'not approved',
  "hasn't approved",
];

/** Codes that speak of the grant: RFC 6749, 5.2, and what providers have in their place. */
const grantCodes = ['invalid_grant', 'access_denied', 'invalid_token', 'expired_token', 'invalid_refresh_token'];

/** Requests after which a refusal that does not say that the grant has ended is believed; the refresher asks for a time as well. [own] */
const unclearAsksMin = 4;

const lastRows: readonly FailureRow[] = [
  {
    signal: 'invalid_grant of a refresh that speaks of a code: another refresh is under way',
    is: ['refresh'],
    says: ['expired authorization code'],
    class: 'unavailable',
    fact: 'recorded: segmentio/action-destinations, pull request 2300: what Salesforce said before August 2024',
  },
  {
    says: [
      'already being processed',
      'in progress',
      'another request',
      'simultaneous',
      'concurrent',
      'too many',
      'rate exceeded',
      'rate limit',
    ],
    class: 'unavailable',
    fact: 'recorded: Salesforce release notes, "rn_security_refresh_token_requests"; clients of Zoho',
  },
  {
    code: ['temporarily_unavailable', 'server_error', 'slow_down', 'rate_limit_exceeded'],
    class: 'unavailable',
    fact: 'documented: RFC 6749, 4.1.2.1; RFC 8628, 3.5; B1',
  },
  {
    code: clientCodes,
    is: ['ownClient'],
    class: 'credentials',
    fact: 'documented: RFC 6749, 5.2, B1: the client is the connection’s',
  },
  { status: [401], is: ['ownClient', 'json'], class: 'credentials', fact: 'documented: RFC 6749, 5.2' },
  { code: clientCodes, class: 'rejected', fact: 'documented: RFC 6749, 5.2: the provider app, not the grant' },
  {
    code: ['invalid_request', 'invalid_scope', 'unsupported_grant_type'],
    is: ['ownClient'],
    class: 'rejected',
    fact: 'documented: RFC 6749, 5.2: what the connection asked for, as it asked',
  },
  {
    code: ['redirect_uri_mismatch', 'invalid_redirect_uri', 'BAD_REDIRECT_URI'],
    class: 'rejected',
    fact: 'recorded: B1; Zoho Accounts: the provider app names another address',
  },
  {
    code: grantCodes,
    not: ['refresh'],
    class: 'credentials',
    fact: 'documented: RFC 6749, 5.2: a code, or the credentials of the connection',
  },
  {
    signal:
      'invalid_grant, access_denied and their kin whose description says that the grant has ended (revoked, expired, inactive, …)',
    code: grantCodes,
    says: endedWords,
    class: 'credentials',
    fact: 'recorded: A1, B1; RFC 6749, 5.2: the description says that the grant has ended',
  },
  {
    says: ['try again', 'retry', 'temporar', 'unavailable', 'timed out', 'maintenance'],
    class: 'unavailable',
    fact: 'assumed: words of what passes, where none speaks of the grant or the client',
  },
  {
    signal:
      'invalid_grant, access_denied and their kin of a refresh whose description does not say that the grant has ended',
    code: grantCodes,
    class: 'credentials',
    triesMax: unclearAsksMin,
    fact: 'assumed: believed only after several requests over half a minute [own]',
  },
  {
    is: ['refresh'],
    says: ['invalid refresh token', 'refresh token is', 'refresh token has', 'refresh token expired'],
    class: 'credentials',
    triesMax: unclearAsksMin,
    fact: 'recorded: tests of pipedrive/client-nodejs, whose sentence may come without its code; time decides [own]',
  },
  {
    signal: '404, 410: the endpoint is not there',
    status: [404, 410],
    class: 'unavailable',
    fact: 'documented: RFC 9110, 15.5.5 and 15.5.11',
  },
  {
    signal: 'whatever is in no row: another code, another status, a page, a 2xx without a token',
    class: 'unavailable',
    fact: 'assumed: the default: it says nothing of the grant, and nothing of the client',
  },
];

/** The table of a provider, around the words of its own. */
export function tokenTable(own: readonly FailureRow[] = []): readonly FailureRow[] {
  const waits = own.filter(({ status }) => status !== undefined);
  const words = own.filter(({ status }) => status === undefined);
  return [...firstRows, ...waits, ...loadRows, ...words, ...lastRows];
}
