import { fewTries, type SignalRow } from '../signals';
import type { Declaration, DeclaredSignal } from './declaration';

/** What is known of a call that did not end with a 2xx that says what it should. */
export interface Signal {
  readonly on: 'create' | 'update' | 'read';
  /** `not-sent`, or what broke the reply; `unreadable`: a 2xx that lacks what it must say. Absent: a whole reply. */
  readonly fault?: 'not-sent' | 'timeout' | 'broken' | 'aborted' | 'too-large' | 'undecodable' | 'unreadable';
  readonly status?: number;
  /** The provider's code of the error. */
  readonly code?: string;
  /** The provider's message of it. */
  readonly message?: string;
  readonly isJson: boolean;
  /** A 2xx that says that it failed. */
  readonly isRefused: boolean;
  /** The record has a value that is unique at the provider, so a second create of it is refused there. */
  readonly isKeyed: boolean;
}

export type Row = SignalRow<Signal>;

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

/** Before the rows of a file: what no provider can mean otherwise. */
const transportRows: readonly Row[] = [
  {
    signal: 'connect refused, DNS, TLS, connect timeout, cancelled before sending',
    matches: hasFault('not-sent'),
    class: 'unavailable',
    basis: 'assumed',
    source: 'request never sent',
  },
  {
    signal: 'no whole reply within the call timeout',
    matches: (s) => hasFault('timeout')(s) && isUndecided(s),
    class: 'timeout',
    basis: 'assumed',
    source: 'may have been applied',
  },
  {
    signal: 'reset, closed, truncated, too large or too deep, cancelled after sending',
    matches: (s) => hasFault('broken', 'aborted', 'too-large', 'undecodable')(s) && isUndecided(s),
    class: 'unknown',
    basis: 'assumed',
    source: 'may have been applied',
  },
  {
    signal: '2xx without what it must say (empty, no JSON, no id, no word of success)',
    matches: hasFault('unreadable'),
    class: 'unknown',
    basis: 'assumed',
    source: 'reference 1a, "2xx, input without result"',
  },
];

/** Of an update, where a file says nothing of a record that is not there. */
const usualMissing: Row = {
  signal: '404 on update',
  matches: (s) => is(404)(s) && s.on === 'update',
  class: 'not-found',
  basis: 'documented',
  source: 'RFC 9110, 15.5.5',
};

/** After the rows of a file. */
const usualRows: readonly Row[] = [
  {
    signal: '2xx that says that it failed',
    matches: (s) => s.isRefused,
    class: 'rejected',
    basis: 'assumed',
    source: 'a file names the codes that mean something else',
  },
  { signal: '401', matches: is(401), class: 'credentials', basis: 'documented', source: 'RFC 9110, 15.5.2' },
  {
    signal: '403 with JSON',
    matches: (s) => is(403)(s) && s.isJson,
    class: 'forbidden',
    basis: 'documented',
    source: 'RFC 9110, 15.5.4',
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
  usualMissing,
  { signal: '404 elsewhere', matches: is(404), class: 'rejected', basis: 'assumed', source: 'unknown object or path' },
  {
    signal: '408, 425',
    matches: is(408, 425),
    class: 'unavailable',
    basis: 'documented',
    source: 'RFC 9110 15.5.9, RFC 8470 5.2: not processed',
  },
  { signal: '409', matches: is(409), class: 'conflict', basis: 'documented', source: 'RFC 9110, 15.5.10' },
  {
    signal: '423',
    matches: is(423),
    class: 'unavailable',
    waitMs: 2_000,
    basis: 'assumed',
    source: 'RFC 4918, 11.3; 2 s [own]',
  },
  {
    signal: '429',
    matches: is(429),
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    basis: 'documented',
    source: 'RFC 6585, 4; 10 s where the reply names no wait [own]',
  },
  { signal: 'other 4xx', matches: within(400, 499), class: 'rejected', basis: 'documented', source: 'RFC 9110, 15.5' },
  {
    signal: '503 on a create without unique value, with Retry-After or without',
    matches: (s) => is(503)(s) && s.on === 'create' && !s.isKeyed,
    class: 'unknown',
    basis: 'assumed',
    source: 'reference 1a: an edge may have passed the request on',
  },
  {
    signal: '503',
    matches: is(503),
    class: 'unavailable',
    basis: 'assumed',
    source: 'refused; a second one would be too',
  },
  {
    signal: 'other 5xx (500, 502, 504, 52x, …)',
    matches: within(500, 599),
    class: 'unknown',
    basis: 'assumed',
    source: 'reference 1a',
  },
  {
    signal: '3xx (never followed), any other status',
    matches: () => true,
    class: 'unknown',
    basis: 'assumed',
    source: 'a redirect may follow a processed request',
  },
];

/** The table of a provider, and of one that says nothing itself. The first row that matches decides. */
export function signalTable({ signals = [], update, facts = {} }: Partial<Declaration> = {}): readonly Row[] {
  const basis = basisOf(facts['signals']);
  const rows = [...transportRows, ...signals.map((signal) => toRow(signal, basis))];
  if (update?.missing === undefined) return [...rows, ...usualRows];
  const missing = toRow({ ...update.missing, on: ['update'], class: 'not-found' }, basisOf(facts['update.missing']));
  // Where the file says how a record that is not there is answered, another 404 is of an address.
  const others = usualRows.filter((row) => row !== usualMissing);
  return [...rows, { ...missing, signal: `a record that is not there: ${missing.signal}` }, ...others];
}

/** What the file's fact of its signals rests on. */
function basisOf(fact = 'assumed'): Row['basis'] {
  return (['documented', 'recorded'] as const).find((basis) => fact.startsWith(basis)) ?? 'assumed';
}

function toRow(
  { status, code, says, on, class: failureClass, waitMs, lane }: DeclaredSignal,
  basis: Row['basis'],
): Row {
  const named = [
    ...(status === undefined ? [] : [status.join(', ')]),
    ...(code === undefined ? [] : [code.join(', ')]),
    ...(says === undefined ? [] : [`with "${says}"`]),
    ...(on === undefined ? [] : [`on ${on.join(', ')}`]),
  ];
  return {
    signal: named.join(' '),
    matches: (signal) =>
      signal.fault !== 'unreadable' &&
      (status === undefined || (signal.status !== undefined && status.includes(signal.status))) &&
      (code === undefined || (signal.code !== undefined && code.includes(signal.code))) &&
      (says === undefined || signal.message?.toLowerCase().includes(says.toLowerCase()) === true) &&
      (on === undefined || on.includes(signal.on)),
    class: failureClass,
    ...(waitMs !== undefined && { waitMs }),
    ...(lane === true && { isLane: true }),
    basis,
    source: "the provider's file, under facts",
  };
}
