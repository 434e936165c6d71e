import type { FailureClass } from '@sluice/errors';

/** What is known of a call that did not succeed, or of one record that a 2xx refuses. */
export interface Signal {
  /** `identity`: userinfo. */
  readonly write: 'create' | 'update' | 'delete' | 'read' | 'identity';
  /** `not-sent`, or what broke the reply; `unreadable`: a 2xx whose body says nothing. Absent: a whole reply. */
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable' | 'unreadable';
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
  readonly hasRetryAfter: boolean;
}

/** One row: the first that matches decides. */
export interface Row {
  /** As it stands in the README. */
  readonly signal: string;
  readonly matches: (signal: Signal) => boolean;
  readonly class: FailureClass;
  /** The provider account is the cause, not the call. */
  readonly isLane?: true;
  /** Wait when the reply names none, in milliseconds. */
  readonly waitMs?: number;
  readonly source: string;
}

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

const transport: readonly Row[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    matches: hasFault('not-sent'),
    class: 'unavailable',
    source: 'reference 1b, 1a; request never sent',
  },
  {
    signal: 'no whole reply within the call timeout',
    matches: all(hasFault('timeout'), isUndecided),
    class: 'timeout',
    source: 'reference 1b',
  },
  {
    signal: 'reset, closed, truncated, too large, cancelled after sending',
    matches: all(hasFault('broken', 'aborted', 'too-large', 'undecodable'), isUndecided),
    class: 'unknown',
    source: 'reference 1b',
  },
  {
    signal: '2xx whose body does not say what became of the record',
    matches: hasFault('unreadable'),
    class: 'unknown',
    source: 'reference 1a, "2xx, input without result"',
  },
];

const codes: readonly Row[] = [
  {
    signal: '401; INVALID_SESSION_ID, INVALID_AUTH_HEADER',
    matches: any(is(401), hasCode(/^(INVALID_SESSION_ID|INVALID_AUTH_HEADER)$/)),
    class: 'credentials',
    source: 'reference 1b',
  },
  {
    signal: 'userinfo 403 Bad_OAuth_Token, Missing_OAuth_Token, Wrong_Org',
    matches: all(
      is(403),
      ({ write }) => write === 'identity',
      says(/\b(Bad_OAuth_Token|Missing_OAuth_Token|Wrong_Org)\b/),
    ),
    class: 'credentials',
    source: 'reference B1, 1b; the last two [own]',
  },
  {
    signal: 'REQUEST_LIMIT_EXCEEDED, TotalRequests',
    matches: all(hasCode(/^REQUEST_LIMIT_EXCEEDED$/), says(/TotalRequests/i)),
    class: 'quota',
    isLane: true,
    waitMs: 15 * 60_000,
    source: 'reference 1b, B7; the calls of 24 hours are used up, 15 min [own]',
  },
  {
    signal: 'REQUEST_LIMIT_EXCEEDED, Concurrent… and others',
    matches: hasCode(/^REQUEST_LIMIT_EXCEEDED$/),
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    source: 'reference 1b, B7; until long calls end, 10 s [own]',
  },
  {
    signal: 'SERVER_UNAVAILABLE',
    matches: hasCode(/^SERVER_UNAVAILABLE$/),
    class: 'unavailable',
    source: 'reference 1b, B7',
  },
  {
    signal: 'UNABLE_TO_LOCK_ROW',
    matches: hasCode(/^UNABLE_TO_LOCK_ROW$/),
    class: 'unavailable',
    source: 'reference 1b; of the call or of one record',
  },
  {
    signal: 'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY with UNABLE_TO_LOCK_ROW or "Too many SOQL queries"',
    matches: all(hasCode(/^CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY$/), says(/UNABLE_TO_LOCK_ROW|Too many SOQL queries/i)),
    class: 'unavailable',
    source: 'reference 1b; a trigger failed, so nothing was written',
  },
  {
    signal: 'QUERY_TIMEOUT, OPERATION_TOO_LARGE on a read',
    matches: all(hasCode(/^(QUERY_TIMEOUT|OPERATION_TOO_LARGE)$/), ({ write }) => write === 'read'),
    class: 'unavailable',
    source: 'reference 1b',
  },
  { signal: 'DUPLICATE…', matches: hasCode(/^DUPLICATE/), class: 'conflict', source: 'reference 1b, B7' },
  {
    signal: 'ENTITY_IS_DELETED, NOT_FOUND on update or delete',
    matches: all(
      hasCode(/^(ENTITY_IS_DELETED|NOT_FOUND)$/),
      any(isOneRecord, isItem),
      ({ write }) => write !== 'create',
    ),
    class: 'not-found',
    source: 'reference 1b, B2',
  },
  {
    signal: 'INVALID_CROSS_REFERENCE_KEY without fields on update or delete',
    matches: all(
      hasCode(/^INVALID_CROSS_REFERENCE_KEY$/),
      ({ write, hasFields }) => (write === 'update' || write === 'delete') && !hasFields,
    ),
    class: 'not-found',
    source: '[own] what a collection says of an id that is nobody’s',
  },
  {
    signal: 'INSUFFICIENT_ACCESS…, API_DISABLED_FOR_ORG, API_CURRENTLY_DISABLED, FUNCTIONALITY_NOT_ENABLED',
    matches: hasCode(/^(INSUFFICIENT_ACCESS.*|API_DISABLED_FOR_ORG|API_CURRENTLY_DISABLED|FUNCTIONALITY_NOT_ENABLED)$/),
    class: 'forbidden',
    source: 'reference 1b',
  },
  {
    signal: 'UNKNOWN_EXCEPTION, INTERNAL_SERVER_ERROR of one record',
    matches: all(isItem, hasCode(/^(UNKNOWN_EXCEPTION|INTERNAL_SERVER_ERROR)$/)),
    class: 'unknown',
    source: 'reference 1b',
  },
  {
    signal: 'any other error of one record in a 2xx',
    matches: isItem,
    class: 'rejected',
    source: 'reference 1b; REQUIRED_FIELD_MISSING, INVALID_…, STRING_TOO_LONG, FIELD_… and others',
  },
];

const statuses: readonly Row[] = [
  {
    signal: '403 with JSON',
    matches: all(is(403), ({ isJson }) => isJson),
    class: 'forbidden',
    source: 'reference 1b',
  },
  { signal: '403 without JSON', matches: is(403), class: 'unavailable', source: '[own] firewall at the edge' },
  {
    signal: '404 on update or delete of one record',
    matches: all(is(404), isOneRecord),
    class: 'not-found',
    source: 'reference 1b, B2',
  },
  { signal: '404 elsewhere', matches: is(404), class: 'rejected', source: 'reference B2; unknown object or path' },
  {
    signal: '408, 425',
    matches: is(408, 425),
    class: 'unavailable',
    source: '[own] RFC 9110 15.5.9, RFC 8470 5.2: not processed',
  },
  { signal: '420', matches: is(420), class: 'unavailable', source: 'reference 1b; edge routing' },
  {
    signal: '429',
    matches: is(429),
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    source: '[own] RFC 6585; Salesforce documents none',
  },
  {
    signal: 'other 4xx',
    matches: within(400, 499),
    class: 'rejected',
    source: 'reference 1b; 400, 405, 409, 412, 414, 415, 428, 431 and others',
  },
  {
    signal: '503 with Retry-After',
    matches: all(is(503), ({ hasRetryAfter }) => hasRetryAfter),
    class: 'unavailable',
    source: 'reliability 2.5',
  },
  {
    signal: 'other 5xx (500, 502, 504, 503 from the edge)',
    matches: within(500, 599),
    class: 'unknown',
    source: 'reference 1b; 503 without JSON [own]',
  },
  {
    signal: '3xx (never followed), any other status',
    matches: () => true,
    class: 'unknown',
    source: '[own] a redirect may follow a processed request',
  },
];

/**
 * Signal to class, in order: the transport, then what the error's code says, then the status. RETRY of the reference is
 * `unavailable` (certainly not applied), RETRY* is `unknown` or `timeout` (may have been applied).
 */
export const errorTable: readonly Row[] = [...transport, ...codes, ...statuses];
