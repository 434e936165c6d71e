import {
  cancelledError,
  uninstalledError,
  type ClaimedCall,
  type RecordError,
  type RecordSettlement,
  type Settlement,
  type ReleasedCall,
  callId,
  type CancelledCursor,
  type LaneKey,
  type Step,
  type OverdueCall,
} from '@sluice/store';
import { type Sendable, leaseMs } from '@sluice/writes';
import { SluiceError } from '@sluice/errors';
import type { ExecutorContext } from './context';
import { traceOverdue } from './trace-call';

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

/** Whether the deadline of a record that was tried before, be it together with others, has passed. One that never was keeps its one try. */
export function isOverdue({ leftMs, firstSentAt, lastError }: Sendable): boolean {
  return leftMs <= 0 && (firstSentAt !== undefined || lastError !== undefined);
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

/**
 * Settles what a sweep found, and counts it. What fails while others are settled keeps its lease until that lapses, and is found again.
 * @returns the calls that waited behind it and may go now
 */
async function settleFound(
  { store, logger, meters }: ExecutorContext,
  settlements: readonly (Settlement & { readonly provider?: string })[],
  { isRetried, event }: { readonly isRetried: boolean; readonly event: 'calls.cancelled' | 'calls.overdue' },
): Promise<readonly ReleasedCall[]> {
  if (settlements.length === 0) return [];
  const { answers, released } = await store.writes.settle(settlements);
  let ended = 0;
  for (const settlement of settlements) {
    const call = callId(settlement);
    const answer = answers.get(call);
    if (answer instanceof SluiceError) logger.warn({ error: answer, call }, 'call.not-settled');
    else if (answer?.isHeld) {
      const { projectId, provider, records } = settlement;
      meters.settled(records, { projectId, provider, isRetried });
      if (answer.ended !== undefined) ended += 1;
    }
  }
  logger.info({ calls: settlements.length, ended }, event);
  return released;
}

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
  const { store, owner } = context;
  const page = { limit: operationsPerStep, ...(after && { after }) };
  const { found: calls, next } = await store.writes.claimCancelled({ owner, leaseMs, ...page });
  const settlements = calls.map((call) => endCall(call, call.records, cancelled));
  const found = await settleFound(context, settlements, { isRetried: false, event: 'calls.cancelled' });
  return { found, ...(next && { next }) };
}

/** Records of one step: their settlement is one transaction. */
const recordsPerStep = 200;

/**
 * Fails the next records whose deadline passed while their lane was blocked or their connection held back. The cursor is the last
 * deadline of the step before. Finds the lanes of calls that waited behind them and may go now.
 */
export async function endOverdue(context: ExecutorContext, after: string | undefined): Promise<Step<LaneKey, string>> {
  const { store, owner } = context;
  const page = { limit: recordsPerStep, ...(after === undefined ? {} : { after }) };
  const { found: calls, next } = await store.writes.claimOverdue({ owner, leaseMs, ...page });
  const found = await settleFound(context, calls.map(toSettlement), { isRetried: true, event: 'calls.overdue' });
  for (const call of calls) traceOverdue(call);
  return { found, ...(next !== undefined && { next }) };
}

function toSettlement(call: OverdueCall): Settlement & Pick<OverdueCall, 'provider'> {
  const lastError = { class: 'deadline', text: call.reason };
  const records = call.records.map(({ index, isSent, orderKey }): Ended => {
    return { index, sendState: isSent ? 'sent' : 'none', lastError, ...(orderKey !== null && { orderKey }) };
  });
  return { ...endCall(call, records, overdue), provider: call.provider, next: nextOf(call) };
}

function nextOf({ restInMs, wasInDoubt }: OverdueCall): Settlement['next'] {
  if (restInMs === undefined) return { state: 'done' };
  return { state: wasInDoubt ? 'in_doubt' : 'ready', delayMs: restInMs };
}
