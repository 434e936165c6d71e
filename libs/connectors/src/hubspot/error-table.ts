import { fewTries, type SignalRow, type SuccessRow } from '../signals';

/** What is known of a call. */
export interface Signal {
  readonly write: 'create' | 'update' | 'delete' | 'read';
  /** The record has a property that is unique at HubSpot, so a second create of it is refused there. */
  readonly isKeyed: boolean;
  /** `not-sent`, or what broke the reply. Absent: a whole reply. */
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable';
  readonly status?: number;
  /** The body is a JSON object. */
  readonly isJson: boolean;
  /** Every problem that a 400 names is a value that another record has. @default false */
  readonly isTakenValue?: boolean;
}

type Test = SignalRow<Signal>['matches'];

const is =
  (...statuses: number[]): Test =>
  (signal) =>
    signal.status !== undefined && statuses.includes(signal.status);
const within =
  (from: number, to: number): Test =>
  (signal) =>
    signal.status !== undefined && signal.status >= from && signal.status <= to;
const hasFault =
  (...faults: NonNullable<Signal['fault']>[]): Test =>
  (signal) =>
    signal.fault !== undefined && faults.includes(signal.fault);
const all =
  (...tests: Test[]): Test =>
  (signal) =>
    tests.every((test) => test(signal));
/** Faults of the transport decide only where no status line, or one of success, came with them. */
const isUndecided: Test = (signal) => signal.status === undefined || signal.status < 300;
const mayDouble: Test = (signal) => signal.write === 'create' && !signal.isKeyed;
const isWhole: Test = (signal) => signal.fault === undefined;
const isJson: Test = (signal) => signal.isJson;
const isDelete: Test = (signal) => signal.write === 'delete';

/** Asked first: a call that one of these rows matches succeeded. What it wrote, its body says. */
export const successTable: readonly SuccessRow<Signal>[] = [
  {
    signal: '2xx with a JSON object',
    matches: all(isWhole, within(200, 299), isJson),
    basis: 'recorded',
    source: 'providers.md, A2, A3: 200, 201 and 207 in fixtures; any 2xx is read, because versions differ',
  },
  {
    signal: '204 on delete',
    matches: all(is(204), isDelete),
    basis: 'recorded',
    source: 'providers.md, A2: also for ids that never were',
  },
  {
    signal: '404 with JSON on delete',
    matches: all(is(404), isDelete, isJson),
    basis: 'assumed',
    source: '1a: gone is what was wanted; HubSpot itself answers 204',
  },
];

const transport: readonly SignalRow<Signal>[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    matches: hasFault('not-sent'),
    class: 'unavailable',
    basis: 'recorded',
    source: '1a; no byte left: the HTTP client says so before it writes',
  },
  {
    signal: 'no whole reply within the call timeout',
    matches: all(hasFault('timeout'), isUndecided),
    class: 'timeout',
    basis: 'recorded',
    source: '1a; bytes left',
  },
  {
    signal: 'reset, closed, truncated, too large, cancelled after sending',
    matches: all(hasFault('broken', 'aborted', 'too-large', 'undecodable'), isUndecided),
    class: 'unknown',
    basis: 'recorded',
    source: '1a; bytes left',
  },
  {
    signal: '2xx without a JSON object',
    matches: within(200, 299),
    class: 'unknown',
    basis: 'recorded',
    source: '1a, "2xx, input without result"; an open-source client calls it a silent failure',
  },
];

const refused: readonly SignalRow<Signal>[] = [
  {
    signal: '401',
    matches: is(401),
    class: 'credentials',
    basis: 'recorded',
    source: 'providers.md, A1: EXPIRED_AUTHENTICATION, INVALID_AUTHENTICATION and others',
  },
  {
    signal: '403 with JSON',
    matches: all(is(403), isJson),
    class: 'forbidden',
    basis: 'recorded',
    source: 'providers.md, A1: MISSING_SCOPES and others',
  },
  {
    signal: '403 without JSON',
    matches: is(403),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'assumed',
    source: '1a: firewall at the edge, few attempts; 1 min and the number are ours',
  },
  {
    signal: '404 on update',
    matches: all(is(404), (s) => s.write === 'update'),
    class: 'not-found',
    basis: 'recorded',
    source: 'providers.md, A2',
  },
  {
    signal: '404 elsewhere',
    matches: is(404),
    class: 'rejected',
    basis: 'recorded',
    source: 'providers.md, A1: unknown object or path',
  },
  {
    signal: '408, 425',
    matches: is(408, 425),
    class: 'unavailable',
    basis: 'assumed',
    source: 'RFC 9110 15.5.9, RFC 8470 5.2: not processed',
  },
  {
    signal: '409',
    matches: is(409),
    class: 'conflict',
    basis: 'recorded',
    source: 'providers.md, A2: the unique value is taken',
  },
  {
    signal: '400 that names taken unique values only (CONFLICTING_UNIQUE_VALUE)',
    matches: all(is(400), (s) => s.isTakenValue === true),
    class: 'conflict',
    basis: 'recorded',
    source: 'providers.md, A2: a property that the account keeps unique; the code in open-source clients',
  },
  {
    signal: '423',
    matches: is(423),
    class: 'unavailable',
    waitMs: 2_000,
    basis: 'documented',
    source: 'providers.md, A8: at least 2 s',
  },
  {
    signal: '429',
    matches: is(429),
    class: 'quota',
    isLane: true,
    basis: 'documented',
    source: 'providers.md, A8: the wait goes by the policy',
  },
  {
    signal: '477',
    matches: is(477),
    class: 'unavailable',
    isLane: true,
    waitMs: 60_000,
    basis: 'documented',
    source: 'providers.md, A8: the account is being moved',
  },
  {
    signal: 'other 4xx (400, 405, 413, 414, 415, 422, …)',
    matches: within(400, 499),
    class: 'rejected',
    basis: 'documented',
    source: 'providers.md, A7: VALIDATION_ERROR and others; any category, also none',
  },
];

const server: readonly SignalRow<Signal>[] = [
  {
    signal: '503 (with Retry-After or without), 521, 522, 523 on a create without unique property',
    matches: all(is(503, 521, 522, 523), mayDouble),
    class: 'unknown',
    basis: 'assumed',
    source: '1a: cautious, because the edge may have passed the request on',
  },
  {
    signal: '522',
    matches: is(522),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'documented',
    source: 'providers.md, A8, 1a: the edge did not reach the origin, low count; 1 min and the number are ours',
  },
  {
    signal: '503, 521, 523',
    matches: is(503, 521, 523),
    class: 'unavailable',
    basis: 'documented',
    source: 'providers.md, A8: refused at the edge',
  },
  {
    signal: '525, 526',
    matches: is(525, 526),
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    basis: 'documented',
    source: 'providers.md, A8, 1a: no TLS between edge and origin, low count; 1 min and the number are ours',
  },
  {
    signal: 'other 5xx (500, 502, 504, 520, 524, …)',
    matches: within(500, 599),
    class: 'unknown',
    basis: 'documented',
    source: 'providers.md, A8, 1a: 502 and 504 are a processing limit, so it may have been processed',
  },
];

/** What no row knows. */
const unknownSignal: SignalRow<Signal> = {
  signal: '3xx (never followed), and whatever is in no row',
  matches: () => true,
  class: 'unknown',
  basis: 'assumed',
  source: 'the default: what is not understood may have been processed',
};

/**
 * Signal to class, in order, for calls that did not succeed. RETRY of the reference is `unavailable` (certainly not applied), RETRY*
 * is `unknown` or `timeout` (may have been applied). Sources: sections of the providers reference.
 */
export const errorTable: readonly SignalRow<Signal>[] = [...transport, ...refused, ...server, unknownSignal];
