import type { CallKey, PendingRecord, WriteStore } from '@sluice/store';
import { coalesce } from '@sluice/writes';

/** Calls of one statement at most: with 100 records each it is a reply of a few megabytes. */
const callsPerStatement = 16;

/** Records of calls that are about to leave at the same time are read by one statement. */
export function sharingLoads(
  writes: Pick<WriteStore, 'loadManyPending'>,
): (call: CallKey) => Promise<readonly PendingRecord[]> {
  return coalesce<CallKey, readonly PendingRecord[]>({
    run: (calls) => writes.loadManyPending(calls),
    itemsMax: callsPerStatement,
    runsMax: 2,
  });
}
