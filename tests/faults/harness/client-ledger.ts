import type { OperationStatus } from '@sluice/types';
import type { Customer } from '../../harness/customer';

/**
 * How a write is sent: `single`, `batch` and `auto` create asynchronously (alone, five in one request, auto-batched),
 * `sync` creates at once, `update` and `autoUpdate` change a record that is there.
 */
export type Way = 'single' | 'batch' | 'auto' | 'sync' | 'update' | 'autoUpdate';

/**
 * What the client knows of one record that it sent. Written down before the request leaves, as `unknown`, and corrected
 * by the reply: so a client that never hears knows no more than it may.
 */
export interface SentRecord {
  /** Unique to this record; stands in the last name that the provider stores. */
  readonly marker: string;
  readonly customer: Customer;
  readonly way: Way;
  /** Of updates: the provider's record. */
  readonly recordId?: string;
  readonly idempotencyKey?: string;
  /** Whether the provider can be asked for it afterwards; else its outcome may end as "unknown". */
  readonly isReconcilable: boolean;
  /** `refused`: the service said that nothing was accepted. `unknown`: the reply was lost, or says that nobody knows. */
  outcome: 'accepted' | 'refused' | 'unknown';
  /** The last reply's status; none came for undefined. */
  status?: number;
  operationId?: string;
  /** Index in the operation. */
  index?: number;
  /** Sent again under its key after a lost reply. */
  isRepeated: boolean;
  /** Position in the order in which the client received the acceptances. */
  acceptedNth?: number;
  /** Moments of the client's clock, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  answeredAtMs?: number;
}

/** A request that was answered with anything but a 200, or not at all, for who has to find out why. */
export interface FailedRequest {
  /** `0`: no connection; `-1`: the reply was lost. */
  readonly status: number;
  readonly way: Way;
  readonly customer: Customer;
  /** Of its first record. */
  readonly marker: string;
  /** Moments of the client's clock, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** As it came. Holds the request id, and the operation's where there is one. */
  readonly body?: unknown;
}

/** More are counted and not kept. */
const failedRequestsMax = 50;

/** Everything one load sent and heard. */
export interface ClientLedger {
  readonly records: SentRecord[];
  /** Replies by status; `0` counts refused connections, `-1` lost replies. */
  readonly statuses: Map<number, number>;
  /** Those that are no 200, by their `Heard` as JSON. */
  readonly failures: Map<string, number>;
  /** The first of these, each try by itself. */
  readonly failedRequests: FailedRequest[];
  /** Replies of 429 and 503 that did not say when to come again. */
  withoutRetryAfter: number;
  /** Operations that were seen in a final status while the load ran. */
  readonly finals: Map<string, OperationStatus>;
  /** Operation ids that were answered 404. */
  readonly missing: Set<string>;
  /** Replies in which a seeded secret stands. */
  leaks: number;
  /** How many acceptances were heard of. */
  heard: number;
  /** Of the sandbox's ledger, when the load began: what is later is this load's. */
  readonly sinceSeq: number;
  readonly startedAtMs: number;
  endedAtMs: number;
}

export function newLedger(sinceSeq = 0): ClientLedger {
  return {
    records: [],
    statuses: new Map(),
    failures: new Map(),
    failedRequests: [],
    withoutRetryAfter: 0,
    finals: new Map(),
    missing: new Set(),
    leaks: 0,
    heard: 0,
    sinceSeq,
    startedAtMs: Date.now(),
    endedAtMs: Date.now(),
  };
}

/** Counts one try of a request, and keeps what is known of it if it failed. */
export function countAnswer(ledger: ClientLedger, answer: FailedRequest): void {
  const { status, way, body } = answer;
  add(ledger.statuses, status, 1);
  if (status === 200) return;
  const { code } = (body ?? {}) as { code?: string };
  add(ledger.failures, JSON.stringify({ way, status, code } satisfies { [key in keyof Heard]: unknown }), 1);
  if (ledger.failedRequests.length < failedRequestsMax) ledger.failedRequests.push(answer);
}

function add<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Puts what several loads sent into one ledger, as if one client had sent it. */
export function mergeLedgers(ledgers: readonly ClientLedger[]): ClientLedger {
  const merged = newLedger(Math.min(...ledgers.map(({ sinceSeq }) => sinceSeq)));
  for (const ledger of ledgers) {
    merged.records.push(...ledger.records);
    merged.failedRequests.push(...ledger.failedRequests);
    for (const [status, count] of ledger.statuses) add(merged.statuses, status, count);
    for (const [kind, count] of ledger.failures) add(merged.failures, kind, count);
    for (const [id, status] of ledger.finals) merged.finals.set(id, status);
    for (const id of ledger.missing) merged.missing.add(id);
    merged.withoutRetryAfter += ledger.withoutRetryAfter;
    merged.leaks += ledger.leaks;
  }
  return { ...merged, startedAtMs: Math.min(...ledgers.map((each) => each.startedAtMs)), endedAtMs: Date.now() };
}

/** What a load heard of one kind: the way of the write, the status, and the problem's code where there was one. */
export type Heard = Pick<FailedRequest, 'way' | 'status'> & { readonly code?: string };

/** A line for each kind of reply that no row expects of a working service: all but 200 and those that `isExpected`. */
export function unexpectedReplies(ledger: ClientLedger, isExpected: (heard: Heard) => boolean = () => false): string[] {
  return [...ledger.failures]
    .map(([kind, count]) => ({ heard: JSON.parse(kind) as Heard, count }))
    .filter(({ heard }) => !isExpected(heard))
    .map(({ heard: { status, way, code }, count }) => `${count} replies of ${status} to ${way} (${code ?? 'no code'})`);
}

/**
 * The replies to a load while the database could not be written: nothing but 200 and 503, every 503 with Retry-After, and one at least.
 * @param fault for the miss: what nobody noticed
 */
export function judgeRefusals(ledger: ClientLedger, fault: string): { refusals: number; misses: string[] } {
  const refusals = ledger.statuses.get(503) ?? 0;
  const misses = [
    ...unexpectedReplies(ledger, ({ status }) => status === 503),
    ...(ledger.withoutRetryAfter > 0 ? [`${ledger.withoutRetryAfter} refusals without Retry-After`] : []),
    ...(refusals === 0 ? [`nobody noticed that ${fault}`] : []),
  ];
  return { refusals, misses };
}
