import type { RecordResult } from '@sluice/connectors';
import type { RecordSettlement, Settlement, Split } from '@sluice/store';
import { keptWarnings, orderKeysOf, toUntried, toUnknown, type DecisionInput } from './decide-settlement';
import type { PerformedCall } from './perform-call';

/** A synchronous call that was made; without `attempt`, one that was withheld. */
interface SynchronousOutcome extends Pick<DecisionInput, 'call' | 'records' | 'lateCommitMs'> {
  readonly performed: Pick<PerformedCall, 'results' | 'parts'> & Partial<Pick<PerformedCall, 'attempt'>>;
  /** What the parts of a refused call run under. */
  readonly lease: NonNullable<Split['lease']>;
}

/**
 * What to write down of a synchronous write. Every record ends here, because nobody waits for a later attempt: a failure that
 * an asynchronous write would repeat is final, and an ambiguous one is "outcome unknown". A call that was refused whole for what may be one
 * record goes on as its parts, which run at once. Pure.
 */
export function settleSynchronous(input: SynchronousOutcome): Settlement {
  const { call, records, performed, lease } = input;
  const { parts, attempt } = performed;
  const apart = new Set(parts.flat());
  const settlements = records.map((record, at) => {
    const result = performed.results[at] as RecordResult;
    return apart.has(record.index) ? toUntried(record, result) : toSettlement(record.index, result);
  });
  return {
    ...call,
    isCreate: call.type === 'create',
    ...(attempt && { attempt }),
    records: settlements,
    next: apart.size > 0 ? { state: 'split', parts, lease } : { state: 'done' },
    orderKeys: orderKeysOf(records, settlements),
    ...(call.type === 'create' ? {} : { barrierMs: input.lateCommitMs }),
  };
}

function toSettlement(index: number, result: RecordResult): RecordSettlement {
  if (result.ok) {
    const { recordId, warnings } = result;
    return { index, kind: 'succeeded', providerId: recordId, ...(warnings && { warnings: keptWarnings(warnings) }) };
  }
  const error = { class: result.error.class, text: result.error.message };
  const isAmbiguous = result.error.class === 'unknown' || result.error.class === 'timeout';
  return isAmbiguous ? toUnknown(index, error) : { index, kind: 'failed', error };
}
