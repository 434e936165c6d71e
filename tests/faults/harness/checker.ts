import type { Operation, OperationRecord } from '@sluice/types';
import type { ClientLedger, SentRecord } from './client-ledger';
import { countBatchFaults, latestFlushMs } from './judge-batches';
import type { Measured } from './measured';
import { effectsOf, readCalls, waitUntilIdle, type Effect, type ProviderCall } from './provider-effects';
import { readBatches, type Flushed } from './read-batches';
import { readOutcomes, waitUntilQuiet, type Outcomes } from './read-outcomes';
import { countSecrets } from './search-secrets';
import type { Verdict } from './verdict';

export interface CheckOptions {
  /** How long operations may take to end after the load, in milliseconds. @default 240 000, which a machine of a quarter's speed needs; 20 for each record, if that is more: the work itself */
  readonly boundMs?: number;
  /**
   * How late a batch may be flushed before it counts as broken. The matrix asks for 1 s and the report says when it was more, because it
   * measures the machine too; what is judged distinguishes a late flush from one that was forgotten. A row adds the time in which nobody
   * could flush. @default 180 000
   */
  readonly flushLateMs?: number;
  /**
   * A call may be taken out for its crashes: of rows that kill an executor as often as that takes (ADR 23). Its record is an honest failure.
   * @default false
   */
  readonly mayQuarantine?: boolean;
  /** The `Retry-After` that a row scripts: calls to the account within it are counted, but for one probe. */
  readonly retryAfterMs?: number;
}

const quietMs = 240_000;
const lateMs = 180_000;

/**
 * Waits until every operation has ended, then compares what the client was answered with what the services say and with what the
 * provider really did.2 (Jepsen's total-queue, adapted).
 */
export async function check(
  { world }: { readonly world: Measured },
  ledger: ClientLedger,
  options: CheckOptions = {},
): Promise<Verdict> {
  const { boundMs = Math.max(quietMs, 20 * ledger.records.length), flushLateMs = lateMs } = options;
  const { retryAfterMs, mayQuarantine = false } = options;
  const customers = [...new Set(ledger.records.map(({ customer }) => customer))];
  const projects = [...new Set(customers.map(({ project }) => project))];
  await waitUntilQuiet(projects, boundMs);
  const recoveryMs = Date.now() - ledger.endedAtMs;
  await waitUntilIdle(world, customers);
  const outcomes = await readOutcomes(projects, ledger);
  const calls = await readCalls(world, customers, ledger.sinceSeq);
  const effects = Map.groupBy(effectsOf(calls), ({ marker }) => marker);
  const batches = await readBatches(world, ledger.startedAtMs);
  return {
    ...countOutcomes(ledger),
    ...compare(ledger, { outcomes, effects, mayQuarantine }),
    batch: countBatchFaults(batches, ledger, flushLateMs),
    order: countDisorder(ledger, effectsOf(calls)),
    transitions: [...ledger.finals].filter(([id, status]) => statusOf(outcomes, id) !== status).length,
    notFound: ledger.missing.size,
    blocked: retryAfterMs === undefined ? 0 : countBlocked(calls, retryAfterMs),
    deadlineErrorMs: latestFlushMs(batches),
    secrets: ledger.leaks + countSecrets(world),
    recoveryMs,
    overdueMs: longestOverdueMs(outcomes, ledger, batches),
  };
}

function longestOverdueMs({ operations }: Outcomes, { endedAtMs }: ClientLedger, batches: readonly Flushed[]): number {
  const due = new Map(batches.map(({ id, dueAtMs }) => [id, dueAtMs]));
  const overdue = [...operations.values()].map(
    ({ id, updateTime = '' }) => Date.parse(updateTime) - Math.max(endedAtMs, due.get(id) ?? 0),
  );
  return Math.round(overdue.reduce((longest, ms) => Math.max(longest, ms), 0));
}

function countOutcomes({ records }: ClientLedger) {
  return {
    accepted: records.filter(({ outcome }) => outcome === 'accepted').length,
    unknown: records.filter(({ outcome }) => outcome === 'unknown').length,
    refused: records.filter(({ outcome }) => outcome === 'refused').length,
  };
}

/** Records that are named when a count is broken. */
const examplesMax = 5;

type Effects = ReadonlyMap<string, readonly Effect[]>;

interface Compared {
  readonly outcomes: Outcomes;
  readonly effects: Effects;
  readonly mayQuarantine: boolean;
}

function compare({ records }: ClientLedger, { outcomes, effects, mayQuarantine }: Compared) {
  const counts = { labelled: 0, lost: 0, duplicates: 0, keyed: 0, nonTerminal: 0, falseSuccess: 0, falseFailure: 0 };
  let [failed, crosstalk] = [0, 0];
  const nonTerminal = new Set<string>();
  const examples: string[] = [];
  for (const sent of records) {
    const mine = effects.get(sent.marker) ?? [];
    const made = new Set(mine.filter(({ isCreate }) => isCreate).map(({ recordId }) => recordId)).size;
    const isDone = sent.recordId === undefined ? made > 0 : mine.length > 0;
    if (made > 1) counts.duplicates += 1;
    const end = sent.operationId === undefined ? undefined : endOf(sent, outcomes);
    // A record with nothing unique cannot be found at the provider again: it ends as unknown, and is there once or not at all.
    const mayBeAbsent = end === 'unknown' && !isReported(sent);
    const isOnce = made === 1 || (made === 0 && mayBeAbsent);
    if (sent.isRepeated && sent.outcome === 'accepted' && sent.recordId === undefined && !isOnce) counts.keyed += 1;
    crosstalk += mine.filter(({ account }) => account !== sent.customer.account.name).length;
    if (sent.outcome === 'refused' && isDone) counts.falseFailure += 1;
    if (examples.length < examplesMax && isOdd(sent, { end, made, isDone }))
      examples.push(`${addBroken(sent, end, mine)}${errorOf(sent, outcomes)}`);
    if (end === undefined) continue;
    if (end === 'absent' && sent.outcome === 'accepted') counts.lost += 1;
    if (end === 'pending') nonTerminal.add(sent.operationId ?? '');
    if (end === 'unknown') counts.labelled += 1;
    if (end === 'unknown' && isReported(sent)) counts.falseFailure += 1;
    if (end === 'failed' && isDone) counts.falseFailure += 1;
    const isExcused = mayQuarantine && errorOf(sent, outcomes).includes(': quarantined');
    if (end === 'failed' && !isDone && sent.outcome === 'accepted' && !isExcused) failed += 1;
    if (end !== 'succeeded' || isDone) continue;
    counts.falseSuccess += 1;
    counts.lost += 1;
  }
  return { ...counts, failed, crosstalk, nonTerminal: nonTerminal.size, examples };
}

type End = OperationRecord['status'] | 'absent';

/**
 * Whether an unknown outcome must be cleared up. Nobody looks up a synchronous write whose caller was answered that the provider gave no reply: its
 * caller knows (docs/guides/promises.md). On a slow machine a provider of ours may miss the call's timeout.
 */
function isReported({ isReconcilable, way, status = 0 }: SentRecord): boolean {
  return isReconcilable && !(way === 'sync' && status >= 500);
}

/** Whether a record belongs in the report. */
function isOdd(
  sent: SentRecord,
  { end, made, isDone }: { readonly end: End | undefined; readonly made: number; readonly isDone: boolean },
): boolean {
  const { outcome } = sent;
  if (made > 1 || (outcome === 'refused' && isDone)) return true;
  if (end === 'succeeded') return !isDone;
  if (end === 'unknown') return isReported(sent);
  if (end === 'failed') return isDone || outcome === 'accepted';
  return end === 'pending' || (end === 'absent' && outcome === 'accepted');
}

function addBroken(
  { marker, way, customer, outcome, operationId, index }: SentRecord,
  end = 'unheard',
  mine: readonly Effect[],
) {
  const written = mine.map(({ recordId }) => recordId).join(', ');
  return `${marker} (${way}, ${customer.account.provider}): ${outcome}, ${end}, at the provider [${written}], operation ${operationId} #${index}`;
}

function errorOf({ operationId = '', index }: SentRecord, { records }: Outcomes): string {
  const error = records.get(operationId)?.find((record) => record.index === index)?.error;
  return error === undefined ? '' : `: ${error.class}, ${error.message}`;
}

/** How the services say that a record ended. `absent`: they do not know its operation, or it has no such record. */
function endOf(sent: SentRecord, { operations, records }: Outcomes): End {
  const operation = operations.get(sent.operationId ?? '');
  if (operation === undefined) return 'absent';
  if (operation.status === 'in_progress') return 'pending';
  const members = records.get(operation.id);
  if (members === undefined) return operation.status === 'success' ? 'succeeded' : 'failed';
  return members.find(({ index }) => index === sent.index)?.status ?? 'absent';
}

function statusOf({ operations }: Outcomes, id: string): Operation['status'] | undefined {
  return operations.get(id)?.status;
}

/**
 * Updates of one record whose requests did not overlap, and that took effect before an update that was accepted earlier.
 * An update of unknown acceptance has no position in the order.
 */
function countDisorder({ records }: ClientLedger, effects: readonly Effect[]): number {
  const nth = new Map(records.map((sent) => [sent.marker, sent.recordId === undefined ? undefined : sent.acceptedNth]));
  const latest = new Map<string, number>();
  let disorder = 0;
  for (const { account, recordId, marker } of effects) {
    const at = nth.get(marker);
    if (at === undefined) continue;
    const key = `${account}/${recordId}`;
    if (at < (latest.get(key) ?? 0)) disorder += 1;
    latest.set(key, Math.max(at, latest.get(key) ?? 0));
  }
  return disorder;
}

/** Calls that were under way when the refusal went out cannot know of it. */
const underWayMs = 250;

/** Calls that reached an account within a wait that it had asked for, beyond one probe for each refusal. */
function countBlocked(calls: readonly ProviderCall[], retryAfterMs: number): number {
  let count = 0;
  for (const ofAccount of Map.groupBy(calls, ({ account }) => account).values()) {
    const refusals = ofAccount.filter(({ status }) => status === 429).map(({ at, tookMs }) => Date.parse(at) + tookMs);
    let freeAtMs = 0;
    for (const saidAtMs of refusals) {
      if (saidAtMs < freeAtMs) continue;
      freeAtMs = saidAtMs + retryAfterMs;
      const early = ofAccount.filter(({ at }) => {
        const atMs = Date.parse(at);
        return atMs > saidAtMs + underWayMs && atMs < freeAtMs;
      });
      count += Math.max(0, early.length - 1);
    }
  }
  return count;
}
