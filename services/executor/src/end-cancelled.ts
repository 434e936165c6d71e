import { callId, type LaneKey } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { cancelled, endCall } from './ended-records';

/**
 * Ends what waits of cancelled operations, all of it: also what waits for its retry, behind another write or behind a block.
 * @returns lanes of calls that waited behind it and may go now
 */
export async function endCancelled(context: ExecutorContext): Promise<LaneKey[]> {
  const lanes: LaneKey[] = [];
  for (;;) {
    const calls = await context.store.writes.claimCancelled(context.owner, leaseMs);
    if (calls.length === 0) return lanes;
    const settled = await context.store.writes.settle(calls.map((call) => endCall(call, call.records, cancelled)));
    const ended = calls.filter((call) => settled.get(callId(call))?.ended !== undefined).length;
    context.logger.info({ calls: calls.length, ended }, 'calls.cancelled');
    lanes.push(...[...settled.values()].flatMap(({ released }) => released));
  }
}
