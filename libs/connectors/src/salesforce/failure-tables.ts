import { fewTries, lockWords, passingRows, transportRows, versionOver, type FailureRow } from '../failure-table';
import { tokenTable } from '../token-table';

const edgeTries = { waitMs: 60_000, triesMax: fewTries };

/** What code of the account is allowed in one transaction, by the words of the exception that ends it. Source: Apex Developer Guide, "Execution Governors and Limits". */
const governorLimits = [
  'System.LimitException',
  'Too many SOQL queries',
  'Too many query rows',
  'Too many DML',
  'Too many future calls',
  'CPU time limit exceeded',
  'heap size too large',
];

/**
 * What a call, or one record inside a 2xx, ends with: the transport, then the error's code, then the status. RETRY of the reference is
 * `unavailable` (certainly not applied), RETRY* is `unknown` or `timeout` (may have been applied).
 */
export const callTable: readonly FailureRow[] = [
  ...transportRows,
  {
    status: ['2xx'],
    is: ['json'],
    class: 'ok',
    fact: 'recorded: B2, B3, B4; what became of a record, the table of outcomes says',
  },
  { status: ['2xx'], is: ['empty'], class: 'ok', fact: 'recorded: B2: the 204 of an update or a delete' },
  {
    status: [404],
    code: ['NOT_FOUND', 'ENTITY_IS_DELETED'],
    on: ['delete'],
    is: ['resend'],
    class: 'ok',
    fact: 'assumed: 1b: gone is what was wanted',
  },
  { status: [404], on: ['delete'], is: ['resend', 'empty'], class: 'ok', fact: 'assumed: 1b: gone is what was wanted' },
  {
    signal: '2xx with a page or another text',
    status: ['2xx'],
    class: 'unknown',
    fact: 'assumed: 1a, "2xx, input without result"',
  },
  { status: [401], class: 'credentials', fact: 'recorded: B7, 1b' },
  versionOver,
  {
    code: ['INVALID_SESSION_ID', 'INVALID_AUTH_HEADER'],
    not: ['record'],
    class: 'credentials',
    fact: 'recorded: B7, 1b',
  },
  {
    signal: 'the same of one record in a 2xx: the token was taken, and code of the account met another',
    code: ['INVALID_SESSION_ID', 'INVALID_AUTH_HEADER'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'assumed: says nothing of the connection; 1 min and the number are ours',
  },
  {
    code: ['TXN_SECURITY_METERING_ERROR', 'FUNCTIONALITY_TEMPORARILY_UNAVAILABLE', 'API_CURRENTLY_DISABLED'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'documented: SOAP API, ExceptionCode: temporary; the last stays for a user without the API, so few tries; 1 min is ours',
  },
  {
    status: [403],
    is: ['identity'],
    says: ['Bad_OAuth_Token', 'Missing_OAuth_Token', 'Wrong_Org'],
    class: 'credentials',
    fact: 'recorded: B1, 1b; the last two are assumed',
  },
  {
    code: ['REQUEST_LIMIT_EXCEEDED'],
    says: ['TotalRequests'],
    class: 'quota',
    isLane: true,
    waitMs: 15 * 60_000,
    fact: 'recorded: B7, 1b: the calls of 24 hours are used up; 15 min are ours',
  },
  {
    signal: 'REQUEST_LIMIT_EXCEEDED, Concurrent… and others',
    code: ['REQUEST_LIMIT_EXCEEDED'],
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    fact: 'recorded: B7, 1b: until long calls end; 10 s are ours',
  },
  { code: ['SERVER_UNAVAILABLE'], class: 'unavailable', fact: 'recorded: B7, 1b' },
  { code: ['UNABLE_TO_LOCK_ROW'], class: 'unavailable', fact: 'recorded: B7, 1b: of the call or of one record' },
  {
    signal:
      'any code whose message speaks of a lock (FIELD_CUSTOM_VALIDATION_EXCEPTION, CANNOT_EXECUTE_FLOW_TRIGGER and others)',
    says: lockWords,
    not: ['wrapped'],
    class: 'unavailable',
    fact: 'recorded: SFDO-Community/declarative-lookup-rollup-summaries, issues 788 and 1241',
  },
  {
    code: ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY'],
    says: ['UNABLE_TO_LOCK_ROW'],
    class: 'unavailable',
    fact: 'recorded: 1b, 1c-0: a trigger failed, so nothing was written',
  },
  {
    signal: 'a governor limit, whichever code it is wrapped in',
    says: governorLimits,
    class: 'unavailable',
    ...edgeTries,
    divides: 'number',
    fact: 'documented: 1b: the exception cannot be caught and undoes its transaction; smaller calls are the cure; 1 min and the number are ours',
  },
  {
    signal: 'another exception of a trigger or flow, of one record in a 2xx',
    code: ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'CANNOT_EXECUTE_FLOW_TRIGGER'],
    is: ['record'],
    class: 'rejected',
    divides: 'record',
    fact: 'recorded: Stack Exchange 366009: it ends the transaction of all records, whichever of them it met',
  },
  {
    code: ['QUERY_TIMEOUT', 'OPERATION_TOO_LARGE'],
    on: ['read'],
    not: ['identity'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'documented: B7, 1b: a few times; 1 min and the number are ours',
  },
  { code: ['DUPLICATE*'], class: 'conflict', fact: 'recorded: B7, 1b' },
  {
    code: ['ENTITY_IS_DELETED', 'NOT_FOUND'],
    on: ['update', 'delete'],
    not: ['batch', 'wrapped'],
    class: 'not-found',
    fact: 'recorded: B2, 1b',
  },
  {
    code: ['INVALID_CROSS_REFERENCE_KEY'],
    on: ['update', 'delete'],
    not: ['fields', 'wrapped'],
    class: 'not-found',
    fact: 'assumed: what a collection says of an id that is nobody’s',
  },
  {
    code: ['INSUFFICIENT_ACCESS*', 'API_DISABLED_FOR_ORG', 'FUNCTIONALITY_NOT_ENABLED'],
    class: 'forbidden',
    fact: 'recorded: B7, 1b',
  },
  {
    code: ['UNKNOWN_EXCEPTION', 'INTERNAL_SERVER_ERROR', 'REQUEST_RUNNING_TOO_LONG'],
    class: 'unknown',
    fact: 'documented: 1b, and SOAP API, ExceptionCode; whatever the status',
  },
  {
    signal: 'any other error of one record in a 2xx',
    is: ['record'],
    class: 'rejected',
    fact: 'recorded: B7, 1b: REQUIRED_FIELD_MISSING, INVALID_…, STRING_TOO_LONG, FIELD_… and others; the default for what is new',
  },
  ...passingRows,
  { status: [403], is: ['json'], class: 'forbidden', fact: 'documented: B7, 1b' },
  {
    status: [403],
    not: ['json'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'assumed: firewall at the edge, few attempts; 1 min and the number are ours',
  },
  {
    status: [404],
    not: ['json', 'empty'],
    class: 'unavailable',
    ...edgeTries,
    fact: 'assumed: a page of the edge says nothing of a record; 1 min and the number are ours',
  },
  { status: [404], on: ['update', 'delete'], not: ['batch'], class: 'not-found', fact: 'recorded: B2, 1b' },
  { signal: '404 elsewhere', status: [404], class: 'rejected', fact: 'documented: B2: unknown object or path' },
  {
    status: [408, 421, 425],
    class: 'unavailable',
    fact: 'assumed: RFC 9110 15.5.9, 15.5.20, RFC 8470 5.2: not processed',
  },
  { status: [420, 423], class: 'unavailable', fact: 'recorded: 1b: edge routing; assumed of a lock (RFC 4918, 11.3)' },
  {
    status: [429],
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    fact: 'assumed: RFC 6585; Salesforce documents none; 10 s are ours',
  },
  { status: [413], class: 'rejected', divides: 'number', fact: 'assumed: RFC 9110 15.5.14: smaller content may pass' },
  {
    signal: 'other 4xx',
    status: ['4xx'],
    class: 'rejected',
    fact: 'documented: B7, 1b: 400, 405, 409, 412, 414, 415, 428, 431 and others',
  },
  {
    signal: 'other 5xx (500, 502, 504; 503 from the edge, with Retry-After or without)',
    status: ['5xx'],
    class: 'unknown',
    fact: 'documented: B7, 1b; of a 503 without JSON assumed',
  },
  {
    signal: '3xx (never followed), and whatever is in no row',
    class: 'unknown',
    fact: 'assumed: the default: what is not understood may have been processed',
  },
];

/** What a 2xx says of one record, beside the codes of its errors. What does not clearly report a write is no success. Source: reference B2, B3, 1a, 1b. */
export const unanswered = {
  create: {
    signal: 'a create without `success`, without an id, or in a list of another length than was sent',
    class: 'unknown',
    fact: 'assumed: 1a: looked up, then failed',
  },
  update: {
    signal: 'an update without `success`, under another id, or in a list of another length than was sent',
    class: 'rejected',
    fact: 'assumed: 1a: "update: item failed"',
  },
  single: {
    signal: 'a single update or delete with a body that has no `success: true`',
    class: 'unknown',
    fact: 'assumed: B2: the documented reply is an empty 204; updates and deletes may be sent again',
  },
  unexplained: {
    signal: '`success: false` without an error, or rolled back without a cause',
    class: 'rejected',
    divides: 'record',
    fact: 'assumed: 1b: not written, and nothing says that another try would be',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** What the token endpoint ends with. Source: reference B1. */
export const tokenRows = tokenTable([
  {
    code: ['inactive_user', 'inactive_org', 'app_not_found'],
    class: 'credentials',
    fact: 'recorded: dust-tt/dust, pull request 26727: the app there was removed; assumed of the user and the organization',
  },
  { code: ['rate_limit_exceeded'], class: 'quota', fact: 'documented: B1' },
  { says: ['login rate exceeded'], class: 'quota', fact: 'documented: B1' },
]);
