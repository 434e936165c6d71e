import { fewTries, type SignalRow, type SuccessRow } from '../signals';

/** What is known of a call, or of one record that a 2xx refuses. */
export interface Signal {
  /** `identity`: userinfo. */
  readonly write: 'create' | 'update' | 'delete' | 'read' | 'identity';
  /** `not-sent`, or what broke the reply. Absent: a whole reply. */
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable';
  /** Absent for a record inside a 2xx, whose code alone speaks. */
  readonly status?: number;
  /** `errorCode` or `statusCode`. */
  readonly code?: string;
  /** The error's message, or the text of a reply that is no JSON. */
  readonly text: string;
  /** The error names fields. */
  readonly hasFields: boolean;
  readonly isBatch: boolean;
  readonly isJson: boolean;
  /** There is no body. @default false */
  readonly isEmpty?: boolean;
  /** An earlier send of the same may have been carried out. @default false */
  readonly isResend?: boolean;
}

type Row = SignalRow<Signal>;
type Test = Row['matches'];

const is =
  (...statuses: number[]): Test =>
  ({ status }) =>
    status !== undefined && statuses.includes(status);
const within =
  (from: number, to: number): Test =>
  ({ status }) =>
    status !== undefined && status >= from && status <= to;
const hasFault =
  (...faults: NonNullable<Signal['fault']>[]): Test =>
  ({ fault }) =>
    fault !== undefined && faults.includes(fault);
const hasCode =
  (form: RegExp): Test =>
  ({ code }) =>
    code !== undefined && form.test(code);
const says =
  (form: RegExp): Test =>
  ({ text }) =>
    form.test(text);
const all =
  (...tests: Test[]): Test =>
  (signal) =>
    tests.every((test) => test(signal));
const any =
  (...tests: Test[]): Test =>
  (signal) =>
    tests.some((test) => test(signal));
/** Faults of the transport decide only where no status line, or one of success, came with them. */
const isUndecided: Test = ({ status }) => status === undefined || status < 300;
const isItem: Test = ({ status, fault }) => status === undefined && fault === undefined;
const isOneRecord: Test = ({ write, isBatch }) => (write === 'update' || write === 'delete') && !isBatch;

const isGone: Test = any(
  hasCode(/^(ENTITY_IS_DELETED|NOT_FOUND)$/),
  ({ code, isEmpty }) => code === undefined && isEmpty === true,
);

/** Asked first: a call that one of these rows matches succeeded. What it wrote, its body says. */
export const successTable: readonly SuccessRow<Signal>[] = [
  {
    signal: '2xx with JSON, or without a body',
    matches: all(
      ({ fault }) => fault === undefined,
      within(200, 299),
      any(
        ({ isJson }) => isJson,
        ({ isEmpty }) => isEmpty === true,
      ),
    ),
    basis: 'recorded',
    source: 'providers.md, B2, B3, B4; what became of a record, the table of outcomes says',
  },
  {
    signal: '404 (NOT_FOUND, ENTITY_IS_DELETED, or empty) on a delete whose earlier send may have been carried out',
    matches: all(is(404), ({ write, isResend }) => write === 'delete' && isResend === true, isGone),
    basis: 'assumed',
    source: '1b: gone is what was wanted',
  },
];

const transport: readonly Row[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    matches: hasFault('not-sent'),
    class: 'unavailable',
    basis: 'recorded',
    source: '1a, 1b; no byte left: the HTTP client says so before it writes',
  },
  {
    signal: 'no whole reply within the call timeout',
    matches: all(hasFault('timeout'), isUndecided),
    class: 'timeout',
    basis: 'recorded',
    source: '1b; bytes left',
  },
  {
    signal: 'reset, closed, truncated, too large, cancelled after sending',
    matches: all(hasFault('broken', 'aborted', 'too-large', 'undecodable'), isUndecided),
    class: 'unknown',
    basis: 'recorded',
    source: '1b; bytes left',
  },
  {
    signal: '2xx with a page or another text',
    matches: all(within(200, 299), ({ isJson }) => !isJson),
    class: 'unknown',
    basis: 'assumed',
    source: '1a, "2xx, input without result"',
  },
];

const codes: readonly Row[] = [
  {
    signal: '401; INVALID_SESSION_ID, INVALID_AUTH_HEADER',
    matches: any(is(401), hasCode(/^(INVALID_SESSION_ID|INVALID_AUTH_HEADER)$/)),
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, B7, 1b',
  },
  {
    signal: 'userinfo 403 Bad_OAuth_Token, Missing_OAuth_Token, Wrong_Org',
    matches: all(
      is(403),
      ({ write }) => write === 'identity',
      says(/\b(Bad_OAuth_Token|Missing_OAuth_Token|Wrong_Org)\b/),
    ),
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, B1, 1b; the last two are assumed',
  },
  {
    signal: 'REQUEST_LIMIT_EXCEEDED, TotalRequests',
    matches: all(hasCode(/^REQUEST_LIMIT_EXCEEDED$/), says(/TotalRequests/i)),
    class: 'quota',
    isLane: true,
    waitMs: 15 * 60_000,
    basis: 'recorded',
    source: 'providers.md, B7, 1b: the calls of 24 hours are used up; 15 min are ours',
  },
  {
    signal: 'REQUEST_LIMIT_EXCEEDED, Concurrent… and others',
    matches: hasCode(/^REQUEST_LIMIT_EXCEEDED$/),
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    basis: 'recorded',
    source: 'providers.md, B7, 1b: until long calls end; 10 s are ours',
  },
  {
    signal: 'SERVER_UNAVAILABLE',
    matches: hasCode(/^SERVER_UNAVAILABLE$/),
    class: 'unavailable',
    basis: 'recorded',
    source: 'providers.md, B7, 1b',
  },
  {
    signal: 'UNABLE_TO_LOCK_ROW',
    matches: hasCode(/^UNABLE_TO_LOCK_ROW$/),
    class: 'unavailable',
    basis: 'recorded',
    source: 'providers.md, B7, 1b: of the call or of one record',
  },
  {
    signal: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY with UNABLE_TO_LOCK_ROW or "Too many SOQL queries"',
    matches: all(hasCode(/^CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY$/), says(/UNABLE_TO_LOCK_ROW|Too many SOQL queries/i)),
    class: 'unavailable',
    basis: 'recorded',
    source: '1b, 1c-0: a trigger failed, so nothing was written',
  },
  {
    signal: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY with "CPU time limit exceeded"',
    matches: all(hasCode(/^CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY$/), says(/CPU time limit exceeded/i)),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'assumed',
    source: '1b: a busy org, few retries; nothing was written; 1 min and the number are ours',
  },
  {
    signal: 'QUERY_TIMEOUT, OPERATION_TOO_LARGE on a read',
    matches: all(hasCode(/^(QUERY_TIMEOUT|OPERATION_TOO_LARGE)$/), ({ write }) => write === 'read'),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'documented',
    source: 'providers.md, B7, 1b: a few times; 1 min and the number are ours',
  },
  {
    signal: 'DUPLICATE…',
    matches: hasCode(/^DUPLICATE/),
    class: 'conflict',
    basis: 'recorded',
    source: 'providers.md, B7, 1b',
  },
  {
    signal: 'ENTITY_IS_DELETED, NOT_FOUND on update or delete',
    matches: all(
      hasCode(/^(ENTITY_IS_DELETED|NOT_FOUND)$/),
      any(isOneRecord, isItem),
      ({ write }) => write !== 'create',
    ),
    class: 'not-found',
    basis: 'recorded',
    source: 'providers.md, B2, 1b',
  },
  {
    signal: 'INVALID_CROSS_REFERENCE_KEY without fields on update or delete',
    matches: all(
      hasCode(/^INVALID_CROSS_REFERENCE_KEY$/),
      ({ write, hasFields }) => (write === 'update' || write === 'delete') && !hasFields,
    ),
    class: 'not-found',
    basis: 'assumed',
    source: 'what a collection says of an id that is nobody’s',
  },
  {
    signal: 'INSUFFICIENT_ACCESS…, API_DISABLED_FOR_ORG, API_CURRENTLY_DISABLED, FUNCTIONALITY_NOT_ENABLED',
    matches: hasCode(/^(INSUFFICIENT_ACCESS.*|API_DISABLED_FOR_ORG|API_CURRENTLY_DISABLED|FUNCTIONALITY_NOT_ENABLED)$/),
    class: 'forbidden',
    basis: 'recorded',
    source: 'providers.md, B7, 1b',
  },
  {
    signal: 'UNKNOWN_EXCEPTION, INTERNAL_SERVER_ERROR of one record',
    matches: all(isItem, hasCode(/^(UNKNOWN_EXCEPTION|INTERNAL_SERVER_ERROR)$/)),
    class: 'unknown',
    basis: 'documented',
    source: '1b',
  },
  {
    signal: 'any other error of one record in a 2xx',
    matches: isItem,
    class: 'rejected',
    basis: 'recorded',
    source:
      'B7, 1b: REQUIRED_FIELD_MISSING, INVALID_…, STRING_TOO_LONG, FIELD_… and others; the default for what is new',
  },
];

const statuses: readonly Row[] = [
  {
    signal: '403 with JSON',
    matches: all(is(403), ({ isJson }) => isJson),
    class: 'forbidden',
    basis: 'documented',
    source: 'providers.md, B7, 1b',
  },
  {
    signal: '403 without JSON',
    matches: is(403),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'assumed',
    source: 'firewall at the edge, few attempts; 1 min and the number are ours',
  },
  {
    signal: '404 on update or delete of one record',
    matches: all(is(404), isOneRecord),
    class: 'not-found',
    basis: 'recorded',
    source: 'providers.md, B2, 1b',
  },
  {
    signal: '404 elsewhere',
    matches: is(404),
    class: 'rejected',
    basis: 'documented',
    source: 'providers.md, B2: unknown object or path',
  },
  {
    signal: '408, 425',
    matches: is(408, 425),
    class: 'unavailable',
    basis: 'assumed',
    source: 'RFC 9110 15.5.9, RFC 8470 5.2: not processed',
  },
  { signal: '420', matches: is(420), class: 'unavailable', basis: 'recorded', source: '1b: edge routing' },
  {
    signal: '429',
    matches: is(429),
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    basis: 'assumed',
    source: 'RFC 6585; Salesforce documents none; 10 s are ours',
  },
  {
    signal: 'other 4xx',
    matches: within(400, 499),
    class: 'rejected',
    basis: 'documented',
    source: 'providers.md, B7, 1b: 400, 405, 409, 412, 414, 415, 428, 431 and others',
  },
  {
    signal: 'other 5xx (500, 502, 504; 503 from the edge, with Retry-After or without)',
    matches: within(500, 599),
    class: 'unknown',
    basis: 'documented',
    source: 'providers.md, B7, 1b; of a 503 without JSON assumed',
  },
  {
    signal: '3xx (never followed), and whatever is in no row',
    matches: () => true,
    class: 'unknown',
    basis: 'assumed',
    source: 'the default: what is not understood may have been processed',
  },
];

/**
 * Signal to class, in order: the transport, then what the error's code says, then the status. RETRY of the reference is
 * `unavailable` (certainly not applied), RETRY* is `unknown` or `timeout` (may have been applied).
 */
export const errorTable: readonly Row[] = [...transport, ...codes, ...statuses];
