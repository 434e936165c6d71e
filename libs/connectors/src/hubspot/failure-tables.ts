import { type FailureRow, fewTries, lockWords, passingRows, transportRows, versionOver } from '../failure-table';
import { tokenTable } from '../token-table';

/** Waits per 429 policy, in milliseconds. HubSpot sends no Retry-After with them. Source: reference A8. */
export const policyWaitMs = { SECONDLY: 1_000, TEN_SECONDLY_ROLLING: 10_000, DAILY: 15 * 60_000 };

const taken = 'A2: the code CONFLICTING_UNIQUE_VALUE in open-source clients';
const refusedWhole = 'HubSpot community 1051941 and a public connector that splits; hubspot-api-python#51';
const edgeTries = { waitMs: 60_000, triesMax: fewTries };

/**
 * What a call ends with. RETRY of the reference is `unavailable` (certainly not applied), RETRY* is `unknown` or `timeout` (may have been
 * applied).
 */
export const callTable: readonly FailureRow[] = [
  ...transportRows,
  {
    signal: '2xx with a JSON object',
    status: ['2xx'],
    is: ['json'],
    not: ['failed'],
    class: 'ok',
    fact: 'recorded: A2, A3: 200, 201 and 207 in fixtures; any 2xx is read, because versions differ',
  },
  { status: [204], on: ['delete'], class: 'ok', fact: 'recorded: A2: also for ids that never were' },
  {
    status: [404],
    on: ['delete'],
    is: ['json'],
    class: 'ok',
    fact: 'assumed: 1a: gone is what was wanted; HubSpot itself answers 204',
  },
  {
    signal: '2xx without a JSON object, or with an error in it',
    status: ['2xx'],
    class: 'unknown',
    fact: 'recorded: 1a, "2xx, input without result"; an open-source client calls it a silent failure',
  },
  {
    status: [401],
    class: 'credentials',
    fact: 'recorded: A1: EXPIRED_AUTHENTICATION, INVALID_AUTHENTICATION and others',
  },
  ...passingRows,
  {
    status: [403],
    is: ['json', 'sensitive'],
    class: 'forbidden',
    divides: 'record',
    fact: 'assumed: A1: the scopes of sensitive properties concern only records that carry one',
  },
  { status: [403], is: ['json'], class: 'forbidden', fact: 'recorded: A1: MISSING_SCOPES and others' },
  {
    status: [403, 404],
    not: ['json'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'assumed: 1a: the edge and not HubSpot, few attempts; 1 min and the number are ours',
  },
  { status: [404], on: ['update'], class: 'not-found', fact: 'recorded: A2' },
  { signal: '404 elsewhere', status: [404], class: 'rejected', fact: 'recorded: A1: unknown object or path' },
  {
    status: [408, 421, 425],
    class: 'unavailable',
    fact: 'assumed: RFC 9110 15.5.9, 15.5.20, RFC 8470 5.2: not processed',
  },
  {
    status: [409],
    class: 'conflict',
    divides: 'record',
    fact: `recorded: A2: the unique value is taken; of a batch: ${refusedWhole}`,
  },
  { status: [400], is: ['taken'], class: 'conflict', divides: 'record', fact: `recorded: ${taken}` },
  {
    status: [413],
    class: 'rejected',
    divides: 'number',
    fact: 'assumed: RFC 9110 15.5.14: smaller content may pass',
  },
  {
    signal: '400 or 429 for the size of the call',
    status: [400, 429],
    says: ['number of inputs', 'too many inputs', 'batch size', 'too large', 'payload size'],
    class: 'rejected',
    divides: 'number',
    fact: 'recorded: a public connector met "maximum number of inputs" with 400; that 429 says it as well is assumed',
  },
  { status: [423], class: 'unavailable', waitMs: 2_000, fact: 'documented: A8: at least 2 s' },
  { status: [429], class: 'quota', isLane: true, fact: 'documented: A8: the wait goes by the policy' },
  {
    status: [477],
    class: 'unavailable',
    isLane: true,
    waitMs: 60_000,
    fact: 'documented: A8: the account is being moved',
  },
  versionOver,
  {
    signal: '400 "Unable to infer object type"',
    status: [400],
    says: ['infer object type'],
    class: 'rejected',
    fact: 'recorded: A3: an object that HubSpot does not know is no record’s fault',
  },
  {
    status: [400],
    class: 'rejected',
    divides: 'record',
    fact: 'documented: A3, A7: an unknown or read-only property, a nested value, an id that is there twice',
  },
  {
    signal: 'other 4xx (405, 414, 415, 422, …)',
    status: ['4xx'],
    class: 'rejected',
    fact: 'documented: A7: VALIDATION_ERROR and others; any category, also none',
  },
  {
    signal: '503 (with Retry-After or without), 521, 522, 523 on a create without unique property',
    status: [503, 521, 522, 523],
    on: ['create'],
    not: ['keyed'],
    class: 'unknown',
    fact: 'assumed: 1a: cautious, because the edge may have passed the request on',
  },
  {
    status: [522],
    class: 'unavailable',
    ...edgeTries,
    fact: 'documented: A8, 1a: the edge did not reach the origin, low count; 1 min and the number are ours',
  },
  { status: [503, 521, 523], class: 'unavailable', fact: 'documented: A8: refused at the edge' },
  {
    status: [525, 526],
    class: 'unavailable',
    ...edgeTries,
    fact: 'documented: A8, 1a: no TLS between edge and origin, low count; 1 min and the number are ours',
  },
  {
    signal: 'other 5xx (500, 502, 504, 520, 524, …)',
    status: ['5xx'],
    class: 'unknown',
    fact: 'documented: A8, 1a: 502 and 504 are a processing limit, so it may have been processed',
  },
  {
    signal: '3xx (never followed), and whatever is in no row',
    class: 'unknown',
    fact: 'assumed: the default: what is not understood may have been processed',
  },
];

/** What one error of a batch reply of 2xx means for its record, by category. Source: reference 1a, A3, A7. */
export const recordTable: readonly FailureRow[] = [
  {
    signal: 'a text that speaks of a deadlock or a lock',
    says: lockWords,
    class: 'unavailable',
    waitMs: 2_000,
    fact: 'assumed: a lock passes whatever the category; 2 s are ours',
  },
  { code: ['CONFLICT', 'OBJECT_ALREADY_EXISTS'], class: 'conflict', fact: 'recorded: A2, A3' },
  { is: ['taken'], class: 'conflict', fact: `recorded: ${taken}` },
  { code: ['VALIDATION_ERROR'], class: 'rejected', fact: 'recorded: A3, A7' },
  {
    code: ['OBJECT_NOT_FOUND'],
    on: ['create'],
    class: 'rejected',
    fact: 'assumed: 1a: what a create does not find is what it points to, never itself',
  },
  { code: ['OBJECT_NOT_FOUND'], on: ['update'], class: 'not-found', fact: 'recorded: A3' },
  { code: ['MISSING_SCOPES', 'BANNED'], class: 'forbidden', fact: 'documented: A7' },
  { code: ['RATE_LIMITS'], class: 'unknown', waitMs: policyWaitMs.TEN_SECONDLY_ROLLING, fact: 'documented: 1a, A7' },
  { code: ['INTERNAL_ERROR'], class: 'unknown', fact: 'documented: 1a, A7' },
  {
    signal: 'another category, or none, with a text of server trouble',
    says: ['internal', 'server error', 'timeout', 'timed out', 'unavailable', 'temporar', 'try again', 'gateway'],
    class: 'unknown',
    fact: 'assumed: 1a: "unknown category with 5xx-like text"',
  },
  { class: 'rejected', fact: 'assumed: the default: HubSpot speaks of this record, so it decided about it' },
];

/**
 * An input, a record or an association, that a 2xx batch reply leaves out, also when both of its lists are empty. Never a success.
 * Source: reference A3, 1a.
 */
export const unanswered = {
  create: {
    signal: 'a create without result or error',
    class: 'unknown',
    fact: 'recorded: A3, 1a: looked up, then failed',
  },
  update: {
    signal: 'an update without result or error, in a reply that is COMPLETE or has no status',
    class: 'rejected',
    fact: 'recorded: A3, 1a: "no result from provider"',
  },
  pendingUpdate: {
    signal: 'the same in a reply that is PENDING, PROCESSING or CANCELED',
    class: 'unknown',
    fact: 'documented: A3: HubSpot has not ended',
  },
  read: {
    signal: 'an id of a batch read, or of a lookup by a unique property, without result or error',
    class: 'unavailable',
    fact: 'documented: A3: an absent record is named, by OBJECT_NOT_FOUND; read again, because absence decides a write',
  },
  association: {
    signal: 'an association whose two ends are in no result and no error, in a reply that is COMPLETE or has no status',
    class: 'rejected',
    fact: 'assumed: 1a, "2xx, input without result or error": not made; a warning where fields were written',
  },
  pendingAssociation: {
    signal: 'the same of an association in a reply that is PENDING, PROCESSING or CANCELED',
    class: 'unknown',
    fact: 'assumed: A3, A4: HubSpot has not ended; the record stays unfinished',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** What the token endpoint ends with: `error` before `status`. Source: reference A1, Refresh failures. */
export const tokenRows = tokenTable([
  { status: [429], class: 'quota', waitMs: 10_000, fact: 'documented: A1, A8' },
  { status: [477], class: 'unavailable', waitMs: 60_000, fact: 'documented: A1, A8' },
  { status: [408, 423, 425, '5xx'], class: 'unavailable', waitMs: 2_000, fact: 'documented: A1' },
  {
    code: ['invalid_grant', 'access_denied'],
    says: ['BAD_REFRESH_TOKEN', 'BAD_HUB'],
    class: 'credentials',
    fact: 'recorded: A1: revoked, expired, uninstalled; the second code says so',
  },
  { code: ['BAD_REFRESH_TOKEN', 'BAD_HUB', 'BAD_AUTH_CODE'], class: 'credentials', fact: 'recorded: A1' },
]);
