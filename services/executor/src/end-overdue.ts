import {
  callId,
  type LaneKey,
  type OverdueCall,
  type RecordSettlement,
  type Settlement,
  type Step,
} from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { settleFound } from './settle-found';
import { traceOverdue } from './trace-call';

/** Records of one step: their settlement is one transaction. */
const recordsPerStep = 200;

/**
 * Fails the next records whose deadline passed while their lane was blocked or their connection held back. The cursor is the last
 * deadline that was looked at. Finds the lanes of calls that waited behind them and may go now.
 */
export async function endOverdue(context: ExecutorContext, after: string | undefined): Promise<Step<LaneKey, string>> {
  const { store, owner, logger, meters } = context;
  const page = { limit: recordsPerStep, ...(after === undefined ? {} : { after }) };
  const { found: calls, next } = await store.writes.claimOverdue({ owner, leaseMs, ...page });
  const onward = next === undefined ? {} : { next };
  if (calls.length === 0) return { found: [], ...onward };
  const settlements = calls.map(toSettlement);
  const settled = await settleFound(context, settlements);
  const held = settlements.filter((settlement) => settled.get(callId(settlement))?.isHeld);
  for (const { records, projectId, provider } of held)
    meters.settled(records, { projectId, provider, isRetried: true });
  for (const call of calls) traceOverdue(call);
  const ended = calls.filter((call) => settled.get(callId(call))?.ended !== undefined).length;
  logger.info({ calls: calls.length, ended }, 'calls.overdue');
  return { found: [...settled.values()].flatMap(({ released }) => released), ...onward };
}

function toSettlement(call: OverdueCall): Settlement & Pick<OverdueCall, 'provider'> {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: call.records.map(({ index, isSent }) => endOf(index, isSent, call.reason)),
    next: nextOf(call),
    orderKeys: call.records.flatMap(({ orderKey }) => orderKey ?? []),
  };
}

function endOf(index: number, isSent: boolean, reason: string): RecordSettlement {
  const text = `The retry deadline has passed. Last: ${reason}`;
  if (!isSent) return { index, kind: 'failed', error: { class: 'deadline', text } };
  return { index, kind: 'unknown', error: { class: 'deadline', text: `Outcome unknown: ${text}` } };
}

function nextOf({ restInMs, wasInDoubt }: OverdueCall): Settlement['next'] {
  if (restInMs === undefined) return { state: 'done' };
  return { state: wasInDoubt ? 'in_doubt' : 'ready', delayMs: restInMs };
}
