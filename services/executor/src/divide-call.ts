import type { Settlement } from '@sluice/store';
import { limits } from '@sluice/types';
import { planCalls } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { endCall, tooLarge } from './ended-records';
import type { Run } from './run';

/**
 * Whether a call has more plans than an executor loads at once. Invariant: accept, seal, replay and split put at most `planBytesMax` of plans
 * into a call. One with more can only come from a release without that bound.
 */
export function isTooLarge({ call: { planBytes = 0 } }: Run): boolean {
  return planBytes > limits.planBytesMax;
}

/**
 * Divides a call that is too large: it continues as calls of usual size, before a plan of it is read.
 * One that was sent and is in doubt ends, because its records must not be sent again and looking for them takes their plans; one that is all
 * or none cannot be divided.
 */
export async function divideCall({ store }: ExecutorContext, { call }: Run): Promise<Settlement> {
  const pending = await store.writes.readPendingSizes(call);
  if (call.isInDoubt || call.allOrNone || pending.length < 2) return endCall(call, pending, tooLarge, 'quarantined');
  const { connectionId } = call;
  const records = pending.map((each) => ({ ...each, connectionId, headersKey: '', isBehindAnother: false }));
  const parts = planCalls(records, { records: pending.length }).map(({ recordIndexes }) => recordIndexes);
  return { ...call, isCreate: call.type === 'create', records: [], next: { state: 'split', parts }, orderKeys: [] };
}
