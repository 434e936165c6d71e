import type { RecordResult } from '@sluice/connectors';
import type { RecordSettlement, Settlement } from '@sluice/store';
import { toUnknown, type DecisionInput } from './decide-settlement';

/**
 * What to write down of a synchronous write. Every record ends here, because nobody waits for a later attempt: a failure that
 * an asynchronous write would repeat is final, and an ambiguous one is "outcome unknown". Pure.
 */
export function settleSynchronous(
  input: Pick<DecisionInput, 'call' | 'records' | 'performed' | 'lateCommitMs'>,
): Settlement {
  const { call, records, performed } = input;
  const settlements = records.map(({ index }, at) => toSettlement(index, performed.results[at] as RecordResult));
  return {
    ...call,
    isCreate: call.type === 'create',
    attempt: performed.attempt,
    records: settlements,
    next: { state: 'done' },
    orderKeys: records.flatMap((record) => record.orderKey ?? []),
    ...(call.type === 'create' ? {} : { barrierMs: input.lateCommitMs }),
  };
}

function toSettlement(index: number, result: RecordResult): RecordSettlement {
  if (result.ok) {
    const { recordId, warnings } = result;
    return { index, kind: 'succeeded', providerId: recordId, ...(warnings && { warnings }) };
  }
  const error = { class: result.error.class, text: result.error.message };
  const isAmbiguous = result.error.class === 'unknown' || result.error.class === 'timeout';
  return isAmbiguous ? toUnknown(index, error) : { index, kind: 'failed', error };
}
