import type { Operation, OperationRecord } from '@sluice/types';
import type { ClientLedger, SentRecord } from './client-ledger';
import { countBatchFaults, latestFlushMs } from './judge-batches';
import type { Measured } from './measured';
import { effectsOf, readCalls, waitUntilIdle, type Effect, type ProviderCall } from './provider-effects';
import { readBatches } from './read-batches';
import { readOutcomes, waitUntilQuiet, type Outcomes } from './read-outcomes';
import { countSecrets } from './search-secrets';
import type { Verdict } from './verdict';

export interface CheckOptions {
  /** How long operations may take to end after the load, in milliseconds. @default 60 000; 20 for each record, if that is more: the work itself */
  readonly boundMs?: number;
  /**
   * How late a batch may be flushed before it counts as broken. The matrix asks for 1 s and the report says when it was more; what a
   * test judges leaves room for a busy machine, and more where nobody could flush. @default 10 000
   */
  readonly flushLateMs?: number;
  /** The `Retry-After` that a row scripts: calls to the account within it are counted, but for one probe. */
  readonly retryAfterMs?: number;
}

/**
 * Waits until every operation has ended, then compares what the client was told with what the services say and with what the
 * provider really did. Source: reliability reference, section 3.2 (Jepsen's total-queue, adapted).
 */
export async function check(
  { world }: { readonly world: Measured },
  ledger: ClientLedger,
  { boundMs = Math.max(60_000, 20 * ledger.records.length), flushLateMs = 10_000, retryAfterMs }: CheckOptions = {},
): Promise<Verdict> {
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
    ...compare(ledger, outcomes, effects),
    batch: countBatchFaults(batches, ledger, flushLateMs),
    order: countDisorder(ledger, effectsOf(calls)),
    transitions: [...ledger.finals].filter(([id, status]) => statusOf(outcomes, id) !== status).length,
    notFound: ledger.missing.size,
    blocked: retryAfterMs === undefined ? 0 : countBlocked(calls, retryAfterMs),
    deadlineErrorMs: latestFlushMs(batches),
    secrets: ledger.leaks + countSecrets(world),
    recoveryMs,
  };
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

function compare({ records }: ClientLedger, outcomes: Outcomes, effects: Effects) {
  const counts = { labelled: 0, lost: 0, duplicates: 0, keyed: 0, nonTerminal: 0, falseSuccess: 0, falseFailure: 0 };
  let [failed, crosstalk] = [0, 0];
  const nonTerminal = new Set<string>();
  const examples: string[] = [];
  for (const sent of records) {
    const mine = effects.get(sent.marker) ?? [];
    const made = new Set(mine.filter(({ isCreate }) => isCreate).map(({ recordId }) => recordId)).size;
    const isDone = sent.recordId === undefined ? made > 0 : mine.length > 0;
    if (made > 1) counts.duplicates += 1;
    if (sent.isRepeated && sent.outcome === 'accepted' && sent.recordId === undefined && made !== 1) counts.keyed += 1;
    crosstalk += mine.filter(({ account }) => account !== sent.customer.account.name).length;
    if (sent.outcome === 'refused' && isDone) counts.falseFailure += 1;
    const end = sent.operationId === undefined ? undefined : endOf(sent, outcomes);
    if (examples.length < examplesMax && isOdd(sent, { end, made, isDone }))
      examples.push(`${tell(sent, end, mine)}${errorOf(sent, outcomes)}`);
    if (end === undefined) continue;
    if (end === 'absent' && sent.outcome === 'accepted') counts.lost += 1;
    if (end === 'pending') nonTerminal.add(sent.operationId ?? '');
    if (end === 'unknown') counts.labelled += 1;
    if (end === 'unknown' && sent.isReconcilable) counts.falseFailure += 1;
    if (end === 'failed' && isDone) counts.falseFailure += 1;
    if (end === 'failed' && !isDone && sent.outcome === 'accepted') failed += 1;
    if (end !== 'succeeded' || isDone) continue;
    counts.falseSuccess += 1;
    counts.lost += 1;
  }
  return { ...counts, failed, crosstalk, nonTerminal: nonTerminal.size, examples };
}

type End = OperationRecord['status'] | 'absent';

/** Whether a record is one that somebody will want to look at. */
function isOdd(
  { outcome, isReconcilable }: SentRecord,
  { end, made, isDone }: { readonly end: End | undefined; readonly made: number; readonly isDone: boolean },
): boolean {
  if (made > 1 || (outcome === 'refused' && isDone)) return true;
  if (end === 'succeeded') return !isDone;
  if (end === 'unknown') return isReconcilable;
  if (end === 'failed') return isDone || outcome === 'accepted';
  return end === 'pending' || (end === 'absent' && outcome === 'accepted');
}

function tell(
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
 * An update of unknown acceptance has no place in the order.
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

/** Calls that reached an account while it had told us to wait, beyond one probe for each refusal. */
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
