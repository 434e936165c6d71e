import type { ClaimedCall } from '@sluice/store';
import type { HeldBytes } from '@sluice/telemetry';
import type { Hold, RefreshUsed } from '@sluice/writes';
import type { ExecutorContext } from './context';
import type { LaneQueue } from './lane-queue';
import type { CallTrace } from './trace-call';

/** One claimed call while it runs. */
export interface Run {
  readonly call: ClaimedCall;
  readonly hold: Hold;
  readonly lanes: LaneQueue;
  /** One lease after the claim, of `performance.now()`: what has not left by then goes back, however often its lease was renewed. */
  readonly leaveByMs: number;
  /** Whose account is called; absent until the connection was read. */
  provider?: string;
  /** Whose connection it is; absent until the connection was read. */
  groupRef?: string;
  readonly trace: CallTrace;
  /** What its plans and the provider's replies take of memory, until the call is settled. */
  readonly held: HeldBytes;
  /** The intent is committed: the call counts as sent, and must not be given back. */
  isIntended: boolean;
}

/** Whether the call may be sent now: its lease is held, it has not waited too long, and its lane was not put to sleep meanwhile. */
export function mayLeave({ call, hold, lanes, leaveByMs }: Run): boolean {
  return hold.mayStillSend() && performance.now() < leaveByMs && !lanes.isAsleep(call);
}

/** Releases a call that was not sent: an orderly release, no crash. Without a delay it keeps its position in the lane. */
export async function giveBack(context: ExecutorContext, { call, lanes }: Run, delayMs: number): Promise<undefined> {
  await context.store.writes.release([{ ...call, delayMs, isInDoubt: call.isInDoubt }]);
  lanes.wakeLater(call, delayMs);
  return undefined;
}

/** How a call comes to newer credentials after a 401. */
export function refresherOf({ installations }: ExecutorContext, { projectId }: ClaimedCall): RefreshUsed {
  return ({ connectionId, tokenVersion }) => installations.refreshCredentials(projectId, connectionId, tokenVersion);
}

/** A step of the call, found by its trace. */
export function traceStep(
  { logger }: ExecutorContext,
  { operationId, number, traceparent }: ClaimedCall,
  event: string,
): void {
  logger.debug({ operationId, call: number, traceparent }, event);
}
