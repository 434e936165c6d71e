import { NotFoundError } from '@sluice/errors';
import type { ClaimedCall, Settlement } from '@sluice/store';
import { HeldBytes, asStep, classOf } from '@sluice/telemetry';
import { type LiveCredentials, limits } from '@sluice/types';
import {
  failureOf,
  leaseMs,
  planCalls,
  settlePersistently,
  settledOf,
  sharingSettlements,
  toSendables,
} from '@sluice/writes';
import type { FreshClaim } from './claim-loop';
import type { ExecutorContext } from './context';
import {
  type Ending,
  cancelled,
  disconnected,
  endCall,
  quarantined,
  reconnected,
  tooLarge,
  undeclared,
  uninstalled,
} from './end-calls';
import type { LaneQueue } from './lane-queue';
import { type Run, type SendCall, type Sending, callSender, giveBack, reconcile, split, traceStep } from './send-call';
import { traceCall } from './trace-call';

/** Crashes of one call, the last two of them alone in its process, after which it is taken out. Source: ADR 23. */
const crashesMax = 4;
/** Pause of a call that failed before it was sent: a fault of ours, or of the database. */
const giveBackMs = 2_000;

/**
 * Runs one claimed call. Order: 0. reserve memory for its plans; one with more than an executor loads is divided instead. 1. load its unfinished records, and end them if they may not be sent any more. 2. Credentials. 3. In doubt: reconcile; else send.
 * 4. Settle behind the fence, and go on trying while the database is away. If the process dies before the intent, the call becomes
 * ready again; after it, it is in doubt.
 */
export function callRunner(context: ExecutorContext): (claim: FreshClaim, lanes: LaneQueue) => Promise<void> {
  const { leases, logger } = context;
  const send = callSender(context);
  const settle = settler(context);
  const perform = async (run: Run): Promise<Settlement | undefined> => {
    const { call } = run;
    traceStep(context, call, 'call.claimed');
    await context.failpoints.hit('ex.after_claim');
    if (!isTooLarge(run)) {
      const hasRoom = await context.plans.take(await bytesToLoad(context, call), run.sendDeadlineMs, run.held);
      if (!hasRoom) return await giveBack(context, run, 0);
    }
    const settlement = isTooLarge(run) ? await divideCall(context, run) : await work(context, run, send);
    if (settlement !== undefined) await settle(run, settlement);
    return settlement;
  };
  return async (claim, lanes) => {
    const { call, claimedAtMs } = claim;
    const hold = leases.hold(call, claimedAtMs);
    const trace = traceCall(claim);
    const held = new HeldBytes(`project:${call.projectId}`);
    const run: Run = { call, hold, lanes, sendDeadlineMs: claimedAtMs + leaseMs, trace, held, isIntended: false };
    await trace.step.run(async () => {
      try {
        trace.end(await perform(run));
      } catch (error) {
        logger.warn({ error, operationId: call.operationId, call: call.number }, 'call.interrupted');
        // After the intent nothing is known to be lost: the lease lapses, and whoever claims next reconciles.
        if (!run.isIntended) await giveBack(context, run, giveBackMs).catch(() => undefined);
        trace.end(undefined, classOf(error));
      } finally {
        held.end();
        hold.end();
      }
    });
  };
}

/** Of its plans. A lookup of creates compares what it finds with what other creates have sent: their plans are loaded too. */
async function bytesToLoad({ store }: ExecutorContext, call: ClaimedCall): Promise<number> {
  const { planBytes = 0, type, isInDoubt } = call;
  return isInDoubt && type === 'create' ? planBytes + (await store.writes.measureRivals(call)) : planBytes;
}

async function work(context: ExecutorContext, run: Run, send: SendCall): Promise<Settlement | undefined> {
  const { call } = run;
  const loadedAtMs = performance.now();
  const pending = await context.loadPending(call);
  run.trace.load(pending);
  if (pending.length === 0) return endCall(call, [], disconnected);
  const restriction = await findRestriction(context, call);
  if (restriction !== undefined) return endCall(call, pending, restriction);
  // Before a plan is read: it may be what the executors died of.
  if (call.crashCount >= crashesMax) return endCall(call, pending, quarantined, 'quarantined');
  const live = await findCredentials(context, call);
  if (live === undefined) return endCall(call, pending, disconnected);
  run.provider = live.provider;
  run.groupRef = live.groupRef;
  run.trace.step.note({ provider: live.provider });
  const records = toSendables(pending);
  const sending: Sending = { records, live, loadedAtMs, connector: context.connectors.get(live.provider) };
  return call.isInDoubt ? await reconcile(context, run, sending) : await send(run, sending);
}

async function findCredentials(context: ExecutorContext, call: ClaimedCall): Promise<LiveCredentials | undefined> {
  try {
    return await context.installations.liveCredentials(call.projectId, call.connectionId);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function settler(context: ExecutorContext): (run: Run, settlement: Settlement) => Promise<void> {
  const settle = sharingSettlements(context.store.writes);
  return async ({ call, lanes, provider, groupRef }, settlement) => {
    const store = () => settlePersistently(async (each) => settledOf(await settle(each), each), settlement);
    const settled = await asStep('call.settle', { operationId: call.operationId, call: call.number }, store);
    await context.failpoints.hit('ex.after_finish');
    if (!settled.isHeld) {
      context.logger.warn({ operationId: call.operationId, call: call.number }, 'call.fence-lost');
      return;
    }
    traceStep(context, call, 'call.settled');
    // What is in doubt is looked at, not tried again.
    context.meters.settled(settlement.records, {
      projectId: call.projectId,
      provider,
      isRetried: !call.isInDoubt,
    });
    for (const lane of settled.released) lanes.wake(lane, 'message');
    const next = settled.next ?? settlement.next;
    if ('delayMs' in next) lanes.wakeLater(call, next.delayMs);
    // The end of this run wakes the lane for them.
    const { operationId: id, number } = call;
    if (settled.parts)
      context.logger.info({ operationId: id, call: number, parts: settled.parts.length }, 'call.split');
    if (settled.ended === undefined) return;
    const { projectId, status, operationId } = settled.ended;
    const facts = { operationId, status, traceparent: call.traceparent };
    const failure = failureOf(settlement);
    context.logger.info(failure ? { ...facts, projectId, groupRef, provider, ...failure } : facts, 'operation.ended');
  };
}

/**
 * Why a call that was accepted may not be sent any more; undefined: it may. Only what restricts is looked at: the plan stays as it was
 * accepted. The facts came with the claim, and the intent compares them once more. What was sent before is reconciled, whatever
 * changed. Deletes need no check: they are synchronous, so no executor sends one.
 */
async function findRestriction(
  { installations }: Pick<ExecutorContext, 'installations'>,
  call: ClaimedCall,
): Promise<Ending | undefined> {
  const { projectId, revisionId, objectName } = call;
  if (call.isInDoubt) return undefined;
  if (call.isUninstalled === true || revisionId === undefined) return uninstalled;
  if (call.isCancelled) return cancelled;
  if (call.isReconnected) return reconnected;
  const isDeclared = await installations.declaresForWriting(projectId, revisionId, objectName);
  return isDeclared ? undefined : undeclared;
}

/**
 * Whether a call has more plans than an executor loads at once. Invariant: accept, seal, replay and split put at most `planBytesMax` of plans
 * into a call. One with more can only come from a release without that bound.
 */
function isTooLarge({ call: { planBytes = 0 } }: Run): boolean {
  return planBytes > limits.planBytesMax;
}

/**
 * Divides a call that is too large: it continues as calls of usual size, before a plan of it is read. A call that was sent and is in doubt ends,
 * because its records must not be sent again, and looking for them takes their plans. A call that is all or none cannot be divided.
 */
async function divideCall({ store }: ExecutorContext, { call }: Run): Promise<Settlement> {
  const pending = await store.writes.readPendingSizes(call);
  if (call.isInDoubt || call.allOrNone || pending.length < 2) return endCall(call, pending, tooLarge, 'quarantined');
  const { connectionId } = call;
  const records = pending.map((each) => ({ ...each, connectionId, headersKey: '', isBehindAnother: false }));
  const parts = planCalls(records, { records: pending.length }).map(({ recordIndexes }) => recordIndexes);
  return split(call, parts);
}
