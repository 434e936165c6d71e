import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import type { ClaimedCall, RecordSettlement, Settlement } from '@sluice/store';
import { nextDelayMs } from '../next-delay';
import type { PerformedCall } from './perform-call';
import type { Sendable } from './sendable';

export interface DecisionInput {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly performed: PerformedCall;
  /** Time from loading the records to now, in milliseconds: what their `leftMs` has shrunk by. */
  readonly elapsedMs: number;
  /** The provider's late-commit window, in unscaled milliseconds. */
  readonly lateCommitMs: number;
  readonly random: () => number;
}

/** Pause before the first look at a create of unknown outcome. */
const firstLookMs = 500;

/** What to write down of an attempt. Pure. Source of the classes: connectors' tables; of the policy: design, sections 5.9 to 5.12. */
export function decideSettlement(input: DecisionInput): Settlement {
  const { call, records, performed } = input;
  const decided = records.map((record, at) => decideRecord(input, record, performed.results[at] as RecordResult));
  const settlements = decided.map((each) => each.settlement);
  const isUncertainUpdate =
    call.type !== 'create' && settlements.some((each) => each.kind === 'again' && each.sendState === 'maybe');
  return {
    ...call,
    isCreate: call.type === 'create',
    attempt: performed.attempt,
    records: settlements,
    next: decideNext(
      call,
      settlements,
      decided.flatMap((each) => each.delayMs ?? []),
    ),
    orderKeys: orderKeysOf(records, settlements),
    ...(isUncertainUpdate || hasUnknownEnd(input, settlements) ? { barrierMs: input.lateCommitMs } : {}),
  };
}

interface DecidedRecord {
  readonly settlement: RecordSettlement;
  readonly delayMs?: number;
}

function decideRecord(input: DecisionInput, record: Sendable, result: RecordResult): DecidedRecord {
  const { index } = record;
  if (result.ok) {
    const { recordId, warnings } = result;
    return { settlement: { index, kind: 'succeeded', providerId: recordId, ...(warnings && { warnings }) } };
  }
  const error = { class: result.error.class, text: result.error.message };
  const isCreate = input.call.type === 'create';
  // An earlier attempt may have made the very record that this one collided with: look before believing the refusal.
  if (result.error.class === 'conflict' && isCreate && record.sendState === 'maybe') {
    return { settlement: { index, kind: 'again', sendState: 'maybe', error } };
  }
  if (isFinal(result.error)) return { settlement: { index, kind: 'failed', error } };
  const isAmbiguous = result.error.class === 'unknown' || result.error.class === 'timeout';
  if (isAmbiguous && isCreate) return { settlement: { index, kind: 'again', sendState: 'maybe', error } };
  const attempt = input.call.attempts + 1;
  const delayMs = nextDelayMs(attempt, record.leftMs - input.elapsedMs, result.error.retryAfterMs ?? 0, input.random);
  // A lane's block beats the last try; the sweep over blocked lanes ends what is overdue then.
  if (delayMs === undefined) return { settlement: { index, kind: 'failed', error } };
  return { settlement: { index, kind: 'again', sendState: isAmbiguous ? 'maybe' : 'none', error }, delayMs };
}

function isFinal(failure: ProviderFailure): boolean {
  return ['rejected', 'not-found', 'conflict', 'forbidden'].includes(failure.class);
}

function decideNext(
  call: ClaimedCall,
  records: readonly RecordSettlement[],
  delays: readonly number[],
): Settlement['next'] {
  const again = records.flatMap((record) => (record.kind === 'again' ? [record] : []));
  if (again.length === 0) return { state: 'done' };
  const isInDoubt = call.type === 'create' && again.some((record) => record.sendState === 'maybe');
  return isInDoubt ? { state: 'in_doubt', delayMs: firstLookMs } : { state: 'ready', delayMs: Math.min(...delays) };
}

function hasUnknownEnd(input: DecisionInput, records: readonly RecordSettlement[]): boolean {
  return (
    input.call.type === 'update' &&
    records.some((record) => {
      return record.kind === 'failed' && (record.error.class === 'unknown' || record.error.class === 'timeout');
    })
  );
}

/** Order keys of the records that end here: what waits behind them may go. */
export function orderKeysOf(records: readonly Sendable[], settlements: readonly RecordSettlement[]): string[] {
  const ended = new Set(settlements.flatMap((each) => (each.kind === 'again' ? [] : [each.index])));
  return records.flatMap((record) =>
    ended.has(record.index) && record.orderKey !== undefined ? [record.orderKey] : [],
  );
}
