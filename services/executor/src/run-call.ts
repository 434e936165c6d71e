import { NotFoundError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { ClaimedCall, Intent, RecordSettlement, Settled, Settlement } from '@sluice/store';
import { callId } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import {
  authOf,
  coalesce,
  decideSettlement,
  leaseMs,
  noteOutcome,
  performCall,
  reconcileCall,
  toSendables,
  type Hold,
  type Sendable,
} from '@sluice/writes';
import type { FreshClaim } from './claim-loop';
import type { ExecutorContext } from './context';
import type { LaneQueue } from './lane-queue';

/** Crashes of one call, the last of them alone in its process, after which it is taken out. Source: design, section 5.11. */
const crashesMax = 3;
/** Calls of one intent or settlement statement. */
const callsPerStatement = 64;

/** Everything one call needs while it runs. */
interface Run {
  readonly call: ClaimedCall;
  readonly hold: Hold;
  readonly lanes: LaneQueue;
}

/**
 * Runs one claimed call. Order: 1. load its unfinished records. 2. Credentials. 3. In doubt: reconcile instead of sending.
 * 4. Quota. 5. Commit the intent; no row, no send. 6. The provider call. 7. Block the lane or mark the connection, if the reply says
 * so. 8. Settle behind the fence. If the process dies: before 5 the call becomes ready again; between 5 and 8 it is in doubt.
 */
export function callRunner(context: ExecutorContext): (claim: FreshClaim, lanes: LaneQueue) => Promise<void> {
  const { store, leases, logger } = context;
  const recordIntent = coalesce<Intent, boolean>({
    run: async (intents) => {
      const sent = await store.writes.recordIntents(intents);
      return intents.map((intent) => sent.has(callId(intent)));
    },
    itemsMax: callsPerStatement,
    runsMax: 2,
  });
  const settle = coalesce<Settlement, Settled>({
    run: async (settlements) => {
      const settled = await store.writes.settle(settlements);
      return settlements.map((settlement) => settled.get(callId(settlement)) as Settled);
    },
    itemsMax: callsPerStatement,
    runsMax: 2,
  });
  const settleRun = settler(context, settle);

  return async ({ call, claimedAtMs }, lanes) => {
    const hold = leases.hold(call, claimedAtMs);
    const run: Run = { call, hold, lanes };
    try {
      trace(context, call, 'call.claimed');
      await context.failpoints.hit('ex.after_claim');
      const settlement = await work(context, run, recordIntent);
      if (settlement !== undefined) await settleRun(run, settlement);
    } catch (error) {
      // Nothing is known to be lost: the lease lapses, and whoever claims next decides from what was committed.
      logger.warn({ error, operationId: call.operationId, call: call.number }, 'call.interrupted');
    } finally {
      hold.end();
    }
  };
}

/** @returns what to settle; undefined when the call was given back or its lease is gone */
async function work(
  context: ExecutorContext,
  run: Run,
  recordIntent: (intent: Intent) => Promise<boolean>,
): Promise<Settlement | undefined> {
  const { call, hold } = run;
  const loadedAtMs = performance.now();
  const records = toSendables(await context.store.writes.loadPending(call));
  if (records.length === 0) return endAll(call, [], 'done');
  if (call.crashCount >= crashesMax) return endAll(call, records.map(quarantined), 'quarantined');
  const live = await findCredentials(context, call);
  if (live === undefined) return endAll(call, records.map(disconnected), 'done');
  const connector = context.connectors.get(live.provider);
  if (call.isInDoubt) return await reconcile(context, run, { records, connector, live });
  if (!(await takeQuota(context, run, connector))) return undefined;
  const indexes = records.map(({ index, write }) => ({
    index,
    ...(call.type === 'create' ? { fingerprint: connector.fingerprint(call.objectName, write.fields) } : {}),
  }));
  if (!hold.mayStillSend()) return undefined;
  if (!(await recordIntent({ ...call, owner: context.owner, records: indexes })) || !hold.mayStillSend())
    return undefined;
  trace(context, call, 'call.intended');
  await context.failpoints.hit('ex.after_intent');
  const performed = await performCall({ call, records, connector, auth: authOf(live), hold });
  trace(context, call, 'call.performed');
  context.quotas.learn(call, performed.quota);
  await context.failpoints.hit('ex.after_reply_before_finish');
  await noteOutcome(context.store, call, live, performed.results);
  const elapsedMs = performance.now() - loadedAtMs;
  const { lateCommitMs } = connector.capabilities;
  return decideSettlement({ call, records, performed, elapsedMs, lateCommitMs, random: Math.random });
}

async function findCredentials(context: ExecutorContext, call: ClaimedCall): Promise<LiveCredentials | undefined> {
  try {
    return await context.installations.liveCredentials(call.projectId, call.connectionId);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

async function reconcile(
  context: ExecutorContext,
  { call, hold }: Run,
  { records, connector, live }: { records: readonly Sendable[]; connector: Connector; live: LiveCredentials },
): Promise<Settlement> {
  const { callTimeoutMs, timeScale } = context.config;
  const settlement = await reconcileCall(context.store.writes, {
    call,
    records,
    connector,
    auth: authOf(live),
    signal: hold.signal,
    senderMs: leaseMs + callTimeoutMs,
    timeScale,
  });
  context.logger.info(
    { operationId: call.operationId, call: call.number, next: settlement.next.state },
    'call.reconciled',
  );
  return settlement;
}

/** A call that the provider's quota does not allow now goes back without having been tried. */
async function takeQuota(context: ExecutorContext, { call, lanes }: Run, connector: Connector): Promise<boolean> {
  const taken = await context.quotas.take(call, connector, 'asynchronous');
  if (taken.granted) return true;
  await context.store.writes.release([{ ...call, delayMs: taken.retryAfterMs, isInDoubt: false }]);
  lanes.wakeLater(call, taken.retryAfterMs);
  return false;
}

function settler(context: ExecutorContext, settle: (settlement: Settlement) => Promise<Settled>) {
  const settledRecords = context.metrics.counter('sluice_records_settled_total', 'Records settled, by outcome.', [
    'outcome',
  ]);
  return async ({ call, lanes }: Run, settlement: Settlement): Promise<void> => {
    const settled = await settle(settlement);
    await context.failpoints.hit('ex.after_finish');
    if (!settled.isHeld) {
      context.logger.warn({ operationId: call.operationId, call: call.number }, 'call.fence-lost');
      return;
    }
    trace(context, call, 'call.settled');
    for (const record of settlement.records) settledRecords.inc({ outcome: record.kind });
    for (const lane of settled.released) lanes.wake(lane, 'message');
    if ('delayMs' in settlement.next) lanes.wakeLater(call, settlement.next.delayMs);
    if (settled.ended === undefined) return;
    const { status, operationId } = settled.ended;
    context.logger.info({ operationId, status, traceparent: call.traceparent }, 'operation.ended');
  };
}

/** A step of the call, found by its trace. */
function trace({ logger }: ExecutorContext, { operationId, number, traceparent }: ClaimedCall, event: string): void {
  logger.debug({ operationId, call: number, traceparent }, event);
}

function endAll(call: ClaimedCall, records: readonly EndedRecord[], state: 'done' | 'quarantined'): Settlement {
  return {
    ...call,
    isCreate: call.type === 'create',
    records: records.map(({ settlement }) => settlement),
    next: { state },
    orderKeys: records.flatMap(({ orderKey }) => orderKey ?? []),
  };
}

interface EndedRecord {
  readonly settlement: RecordSettlement;
  readonly orderKey: string | undefined;
}

function quarantined({ index, sendState, orderKey }: Sendable): EndedRecord {
  const text = 'Quarantined after three crashes of the executor.';
  const isSent = sendState !== 'none';
  const error = { class: 'quarantined' as const, text: isSent ? `${text} Outcome unknown.` : text };
  return { settlement: { index, kind: isSent ? 'unknown' : 'failed', error }, orderKey };
}

function disconnected({ index, orderKey }: Sendable): EndedRecord {
  const error = { class: 'credentials' as const, text: 'The connection of this installation no longer exists.' };
  return { settlement: { index, kind: 'failed', error }, orderKey };
}
