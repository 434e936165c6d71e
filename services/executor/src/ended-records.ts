import {
  cancelledError,
  uninstalledError,
  type ClaimedCall,
  type RecordError,
  type RecordSettlement,
  type Settlement,
} from '@sluice/store';
import type { Sendable } from '@sluice/writes';

/** What the end of a record needs to know of it. */
type Ended = Pick<Sendable, 'index' | 'sendState' | 'orderKey' | 'lastError'>;

/** Why a record ends here without being sent again. */
export type Ending = (record: Ended) => RecordError;

export const quarantined: Ending = () => ({
  class: 'quarantined',
  text: 'Quarantined after four crashes of the executor.',
});

export const tooLarge: Ending = () => ({
  class: 'quarantined',
  text: 'Taken out: its call has more bytes than an executor loads at once, and cannot be divided.',
});

export const disconnected: Ending = () => ({
  class: 'credentials',
  text: 'The connection of this installation no longer exists.',
});

export const uninstalled: Ending = () => uninstalledError;

export const reconnected: Ending = cancelledBy(
  'The installation was given another connection than this write was accepted for.',
);

export const undeclared: Ending = cancelledBy(
  'The manifest of the integration does not declare the object for writing any more.',
);

export const cancelled: Ending = cancelledBy(cancelledError.text);

function cancelledBy(reason: string): Ending {
  return ({ lastError }) => ({
    class: 'cancelled',
    text: lastError === undefined ? reason : `${reason} Last: ${lastError.text}`,
  });
}

export const overdue: Ending = ({ lastError }) => ({
  class: 'deadline',
  text: `The retry deadline has passed. Last: ${lastError?.text ?? 'no attempt had a reply'}`,
});

/** Whether the deadline of a record that was tried before has passed. One that never was keeps its one try. */
export function isOverdue({ leftMs, firstSentAt }: Sendable): boolean {
  return leftMs <= 0 && firstSentAt !== undefined;
}

/** What may have been written is "outcome unknown", never "failed". */
export function endRecord(record: Ended, ending: Ending): RecordSettlement {
  const error = ending(record);
  if (record.sendState === 'none') return { index: record.index, kind: 'failed', error };
  return { index: record.index, kind: 'unknown', error: { ...error, text: `Outcome unknown: ${error.text}` } };
}

/** Ends a call with all of its records. */
export function endCall(
  call: Pick<ClaimedCall, 'projectId' | 'operationId' | 'number' | 'laneId' | 'fence' | 'type' | 'objectName'>,
  records: readonly Ended[],
  ending: Ending,
  state: 'done' | 'quarantined' = 'done',
): Settlement {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: records.map((record) => endRecord(record, ending)),
    next: { state },
    orderKeys: records.flatMap(({ orderKey }) => orderKey ?? []),
  };
}
