import { fewTries, passingRows, transportRows, versionOver, type Fact, type FailureRow } from '../failure-table';
import { tokenTable } from '../token-table';
import type { Declaration, DeclaredOAuth2, DeclaredSignal } from './declaration';

/** Before the rows of a file: what no provider can mean otherwise. */
const firstRows: readonly FailureRow[] = [
  ...transportRows,
  {
    signal: '2xx without what it must say (empty, no JSON, no id, no report of success)',
    fault: ['unreadable'],
    class: 'unknown',
    fact: 'assumed: reference 1a, "2xx, input without result"',
  },
];

/** Between the rows of a file and those for a record that is not there: what answers is no API. */
const noApi: FailureRow = {
  signal: '404 with a page: the account is at this address no more',
  status: [404],
  on: ['create', 'update'],
  is: ['page'],
  class: 'unavailable',
  isLane: true,
  waitMs: 60_000,
  fact: 'recorded: dust-tt/dust, pull request 10974; support.freshdesk.com 50000004704: a renamed address; 1 min is ours',
};

/** Of an update, where a file declares no reply for a record that is not there. */
const usualMissing: FailureRow = {
  status: [404],
  on: ['update'],
  class: 'not-found',
  fact: 'documented: RFC 9110, 15.5.5',
};

/** After the rows of a file. */
const usualRows: readonly FailureRow[] = [
  {
    signal: '2xx that reports failure',
    is: ['failed'],
    class: 'rejected',
    fact: 'assumed: a file names the codes that mean something else',
  },
  { status: [401], class: 'credentials', fact: 'documented: RFC 9110, 15.5.2' },
  {
    signal: '402: the account is not paid for',
    status: [402],
    class: 'unavailable',
    isLane: true,
    waitMs: 15 * 60_000,
    fact: 'documented: Pipedrive, HTTP status codes: the company account is not open; 15 min are ours',
  },
  ...passingRows,
  { status: [403], is: ['json'], class: 'forbidden', fact: 'documented: RFC 9110, 15.5.4' },
  {
    status: [403],
    not: ['json'],
    class: 'unavailable',
    waitMs: 60_000,
    triesMax: fewTries,
    fact: 'assumed: firewall at the edge, few attempts; 1 min and the number are ours',
  },
  usualMissing,
  { signal: '404 elsewhere', status: [404], class: 'rejected', fact: 'assumed: unknown object or path' },
  {
    status: [408, 421, 425],
    class: 'unavailable',
    fact: 'documented: RFC 9110 15.5.9, 15.5.20, RFC 8470 5.2: not processed',
  },
  { status: [409], class: 'conflict', fact: 'documented: RFC 9110, 15.5.10' },
  { status: [423], class: 'unavailable', waitMs: 2_000, fact: 'assumed: RFC 4918, 11.3; 2 s [own]' },
  {
    status: [429],
    class: 'quota',
    isLane: true,
    waitMs: 10_000,
    fact: 'documented: RFC 6585, 4; 10 s where the reply names no wait [own]',
  },
  versionOver,
  { signal: 'other 4xx', status: ['4xx'], class: 'rejected', fact: 'documented: RFC 9110, 15.5' },
  {
    signal: '503 on a create without unique value, with Retry-After or without',
    status: [503],
    on: ['create'],
    not: ['keyed'],
    class: 'unknown',
    fact: 'assumed: reference 1a: an edge may have passed the request on',
  },
  { status: [503], class: 'unavailable', fact: 'assumed: refused; a second one would be too' },
  { signal: 'other 5xx (500, 502, 504, 52x, …)', status: ['5xx'], class: 'unknown', fact: 'assumed: reference 1a' },
  {
    signal: '3xx (never followed), any other status',
    class: 'unknown',
    fact: 'assumed: a redirect may follow a processed request',
  },
];

/** The table of a provider, and of one that declares no signals. */
export function signalTable({ signals = [], update, facts = {} }: Partial<Declaration> = {}): readonly FailureRow[] {
  const rows = [...firstRows, ...signals.map((signal) => toRow(signal, facts['signals'])), noApi];
  if (update?.missing === undefined) return [...rows, ...usualRows];
  const missing = toRow({ ...update.missing, on: ['update'], class: 'not-found' }, facts['update.missing']);
  // Where the file declares how a missing record is reported, another 404 is of an address.
  return [...rows, missing, ...usualRows.filter((row) => row !== usualMissing)];
}

/** @param fact the file's fact about its signals; its source is printed there */
function toRow({ says, lane, ...row }: DeclaredSignal, fact = 'assumed'): FailureRow {
  const basis = (['documented', 'recorded'] as const).find((one) => fact.startsWith(one)) ?? 'assumed';
  const source: Fact = `${basis}: the provider's file, under facts`;
  return { ...row, ...(says !== undefined && { says: [says] }), ...(lane && { isLane: lane }), fact: source };
}

const meanings = { grantEnded: 'credentials', appRefused: 'rejected', passes: 'unavailable' } as const;

/** How a request for tokens of a declared provider ends, with the words of its file. */
export function declaredTokenTable(
  { refusals = [] }: DeclaredOAuth2,
  facts: Declaration['facts'],
): readonly FailureRow[] {
  return tokenTable(
    refusals.map(({ means, ...row }) => toRow({ ...row, class: meanings[means] }, facts['auth.oauth2.refusals'])),
  );
}
