import type { FailureClass } from '@sluice/errors';

/** What is known of a call that did not end with a readable 2xx. */
export interface Signal {
  readonly write: 'create' | 'update' | 'delete' | 'read';
  /** The record has a property that is unique at HubSpot, so a second create of it is refused there. */
  readonly isKeyed: boolean;
  /** `not-sent`, or what broke the reply; `unreadable`: a 2xx whose body says nothing. Absent: a whole reply. */
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable' | 'unreadable';
  readonly status?: number;
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

const is =
  (...statuses: number[]) =>
  (signal: Signal) =>
    signal.status !== undefined && statuses.includes(signal.status);
const within = (from: number, to: number) => (signal: Signal) =>
  signal.status !== undefined && signal.status >= from && signal.status <= to;
const hasFault =
  (...faults: NonNullable<Signal['fault']>[]) =>
  (signal: Signal) =>
    signal.fault !== undefined && faults.includes(signal.fault);
/** Faults of the transport decide only where no status line, or one of success, came with them. */
const isUndecided = (signal: Signal) => signal.status === undefined || signal.status < 300;
const mayDouble = (signal: Signal) => signal.write === 'create' && !signal.isKeyed;

/**
 * Signal to class, in order. RETRY of the reference is `unavailable` (certainly not applied), RETRY* is `unknown` or
 * `timeout` (may have been applied). Rows marked [own] are our judgement where the reference is silent.
 */
export const errorTable: readonly Row[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    matches: hasFault('not-sent'),
    class: 'unavailable',
    source: 'reference 1a; request never sent',
  },
  {
    signal: 'no whole reply within the call timeout',
    matches: (s) => hasFault('timeout')(s) && isUndecided(s),
    class: 'timeout',
    source: 'reference 1a',
  },
  {
    signal: 'reset, closed, truncated, too large, cancelled after sending',
    matches: (s) => hasFault('broken', 'aborted', 'too-large', 'undecodable')(s) && isUndecided(s),
    class: 'unknown',
    source: 'reference 1a',
  },
  {
    signal: '2xx without a readable JSON body',
    matches: hasFault('unreadable'),
    class: 'unknown',
    source: 'reference 1a, "2xx, input without result"',
  },
  {
    signal: '401',
    matches: is(401),
    class: 'credentials',
    source: 'reference 1a; EXPIRED_AUTHENTICATION, INVALID_AUTHENTICATION and others',
  },
  {
    signal: '403 with JSON',
    matches: (s) => is(403)(s) && s.isJson,
    class: 'forbidden',
    source: 'reference 1a; MISSING_SCOPES and others',
  },
  { signal: '403 without JSON', matches: is(403), class: 'unavailable', source: 'reference 1a; firewall at the edge' },
  {
    signal: '404 on update',
    matches: (s) => is(404)(s) && s.write === 'update',
    class: 'not-found',
    source: 'reference 1a',
  },
  {
    signal: '404 with JSON on delete: the record is gone, which is the success',
    matches: (s) => is(404)(s) && s.write === 'delete' && s.isJson,
    class: 'not-found',
    source: 'reference 1a, A2: HubSpot itself answers 204 for missing ids',
  },
  { signal: '404 elsewhere', matches: is(404), class: 'rejected', source: 'reference A1; unknown object or path' },
  {
    signal: '408, 425',
    matches: is(408, 425),
    class: 'unavailable',
    source: '[own] RFC 9110 15.5.9, RFC 8470 5.2: not processed',
  },
  { signal: '409', matches: is(409), class: 'conflict', source: 'reference 1a, A2' },
  { signal: '423', matches: is(423), class: 'unavailable', waitMs: 2_000, source: 'reference 1a, A8; at least 2 s' },
  { signal: '429', matches: is(429), class: 'quota', isLane: true, source: 'reference 1a, A8; wait by policy' },
  {
    signal: '477',
    matches: is(477),
    class: 'unavailable',
    isLane: true,
    waitMs: 60_000,
    source: 'reference 1a, A8; account migration, Retry-After',
  },
  {
    signal: 'other 4xx',
    matches: within(400, 499),
    class: 'rejected',
    source: 'reference 1a; 400, 405, 414, 415, 422 and others',
  },
  {
    signal: '503 with Retry-After',
    matches: (s) => is(503)(s) && s.hasRetryAfter,
    class: 'unavailable',
    source: 'reliability 2.5',
  },
  {
    signal: '503, 521, 522, 523 on a create without unique property',
    matches: (s) => is(503, 521, 522, 523)(s) && mayDouble(s),
    class: 'unknown',
    source: 'reference 1a; 522 [own]: the edge may have passed the request on',
  },
  {
    signal: '503, 521, 522, 523',
    matches: is(503, 521, 522, 523),
    class: 'unavailable',
    source: 'reference 1a; edge refusal',
  },
  {
    signal: '525, 526',
    matches: is(525, 526),
    class: 'unavailable',
    source: 'reference 1a; no TLS between edge and origin',
  },
  {
    signal: 'other 5xx (500, 502, 504, 520, 524, …)',
    matches: within(500, 599),
    class: 'unknown',
    source: 'reference 1a',
  },
  {
    signal: '3xx (never followed), any other status',
    matches: () => true,
    class: 'unknown',
    source: '[own] a redirect may follow a processed request',
  },
];
