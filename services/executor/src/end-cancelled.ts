import { callId, type CancelledCursor, type LaneKey, type Step } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { cancelled, endCall } from './ended-records';
import { settleFound } from './settle-found';

/** Operations of one step. */
const operationsPerStep = 200;

/**
 * Ends what waits of the next cancelled operations, all of it: also what waits for its retry, behind another write or behind a block.
 * Finds the lanes of calls that waited behind it and may go now.
 */
export async function endCancelled(
  context: ExecutorContext,
  after: CancelledCursor | undefined,
): Promise<Step<LaneKey, CancelledCursor>> {
  const { store, owner, logger, meters } = context;
  const page = { limit: operationsPerStep, ...(after && { after }) };
  const { found: calls, next } = await store.writes.claimCancelled({ owner, leaseMs, ...page });
  const onward = next === undefined ? {} : { next };
  if (calls.length === 0) return { found: [], ...onward };
  const settlements = calls.map((call) => endCall(call, call.records, cancelled));
  const settled = await settleFound(context, settlements);
  const held = settlements.filter((settlement) => settled.get(callId(settlement))?.isHeld);
  for (const { records, projectId } of held) meters.settled(records, { projectId, isRetried: false });
  const ended = calls.filter((call) => settled.get(callId(call))?.ended !== undefined).length;
  logger.info({ calls: calls.length, ended }, 'calls.cancelled');
  return { found: [...settled.values()].flatMap(({ released }) => released), ...onward };
}
