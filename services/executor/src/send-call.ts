import type { Connector } from '@sluice/connectors';
import { type Intent, type Settlement, callId } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import {
  type PerformedCall,
  type Sendable,
  coalesce,
  decideSettlement,
  noteOutcome,
  performCall,
} from '@sluice/writes';
import type { ExecutorContext } from './context';
import { endRecord, isOverdue, overdue } from './end-calls';
import { type Run, giveBack, mayLeave, refresherOf, traceStep } from './run';

/** Calls of one intent statement. */
const callsPerIntent = 64;
/** A lane whose calls take longer has one at a time: its account would hold sockets that others could use. */
const slowCallMs = 5_000;

/** What is sent, and with what. */
export interface Sending {
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  readonly live: LiveCredentials;
  /** `performance.now()` when the records were loaded: their time left counts from there. */
  readonly loadedAtMs: number;
}

/** @returns what to settle; undefined when the call was given back, or is no longer ours */
export type SendCall = (run: Run, sending: Sending) => Promise<Settlement | undefined>;

/**
 * Sends a call. Order: 1. end the records whose deadline has passed. 2. Quota. 3. Commit the intent; no row, no send. 4. The
 * provider call. 5. Block the lane or mark the connection, if the reply requires it. 6. Decide what to settle.
 */
export function callSender(context: ExecutorContext): SendCall {
  const recordIntent = coalesce<Intent, boolean>({
    run: async (intents) => {
      const sent = await context.store.writes.recordIntents(intents);
      return intents.map((intent) => sent.has(callId(intent)));
    },
    itemsMax: callsPerIntent,
    runsMax: 2,
  });
  return async (run, sending) => {
    const { call, hold } = run;
    const late = sending.records.filter(isOverdue);
    const records = sending.records.filter((record) => !isOverdue(record));
    if (records.length === 0)
      return withLate(
        { ...call, isCreate: call.type === 'create', records: [], next: { state: 'done' }, orderKeys: [] },
        late,
      );
    if (!mayLeave(run)) return await giveBack(context, run, 0);
    if (!(await takeQuota(context, run, sending.connector))) return undefined;
    if (!mayLeave(run)) return await giveBack(context, run, 0);
    if (!(await recordIntent(toIntent(run, { ...sending, records })))) {
      // The lease is still ours: something changed since the claim, so the call may not be sent. The next claim finds out why.
      return hold.mayStillSend() ? await giveBack(context, run, 0) : undefined;
    }
    run.isIntended = true;
    traceStep(context, call, 'call.intended');
    await context.failpoints.hit('ex.after_intent');
    return withLate(await perform(context, run, { ...sending, records }), late);
  };
}

function toIntent({ call }: Run, { records, connector }: Sending): Intent {
  const indexes = records.map(({ index, write }) => ({
    index,
    ...(call.type === 'create' ? { fingerprint: connector.fingerprint(call.objectName, write.fields) } : {}),
  }));
  return { ...call, records: indexes };
}

async function perform(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold, lanes } = run;
  const { records, connector, live } = sending;
  const refresh = refresherOf(context, call);
  const takeMore = () => context.quotas.take(call, connector, 'asynchronous');
  const findClaimed = (ids: readonly string[]) => context.store.writes.findClaimedIds(call, ids);
  const performed = await watchPace(context, run, async () => {
    const [result] = await Promise.all([
      performCall({ call, records, connector, live, refresh, hold, held: run.held, takeQuota: takeMore, findClaimed }),
      // Beside the call: `exit9=8` dies when the request has left and the reply has not come.
      context.failpoints.hit('ex.after_send_before_reply'),
    ]);
    return result;
  });
  traceStep(context, call, 'call.performed');
  context.quotas.learn(call, performed.quota);
  await context.failpoints.hit('ex.after_reply_before_finish');
  try {
    const blockedMs = await noteOutcome(context, call, performed);
    context.meters.called({ projectId: call.projectId, provider: live.provider }, { ...performed, blockedMs });
    if (blockedMs > 0) lanes.sleep(call, blockedMs);
  } catch (error) {
    // The reply is known and must be settled, whether or not the lane could be updated.
    context.logger.warn({ error, operationId: call.operationId }, 'call.outcome-not-noted');
  }
  const elapsedMs = performance.now() - sending.loadedAtMs;
  const { lateCommitMs } = connector.capabilities;
  return decideSettlement({ call, records, performed, elapsedMs, lateCommitMs, random: Math.random });
}

/** A call that the provider's quota does not allow now goes back without having been tried, and its lane sleeps. */
async function takeQuota(context: ExecutorContext, run: Run, connector: Connector): Promise<boolean> {
  const taken = await context.quotas.take(run.call, connector, 'asynchronous');
  if (taken.granted) return true;
  run.lanes.sleep(run.call, taken.retryAfterMs);
  await giveBack(context, run, 0);
  return false;
}

function withLate(settlement: Settlement, late: readonly Sendable[]): Settlement {
  const records = late.map((record) => endRecord(record, overdue));
  const orderKeys = late.flatMap(({ orderKey }) => orderKey ?? []);
  return {
    ...settlement,
    records: [...settlement.records, ...records],
    orderKeys: [...settlement.orderKeys, ...orderKeys],
  };
}

/**
 * Makes a call and watches how long the account takes for it. After 5 s the lane is narrowed, while the call continues: the cap is in the
 * lane's row, because what one process sees must hold for all of them. A call in time that the account did not refuse widens a
 * narrowed lane, twofold: it stands at one after a block too, so that a block ends with one probe and a slow start. A call that ends in
 * our own fault says nothing about the account.
 */
async function watchPace(
  { store, config, logger }: ExecutorContext,
  { call }: Run,
  work: () => Promise<PerformedCall>,
): Promise<PerformedCall> {
  let isSlow = false;
  const quietly = (change: Promise<void>): Promise<void> =>
    change.catch((error: unknown) => logger.warn({ error, laneId: call.laneId }, 'lane.pace-not-noted'));
  const timer = setTimeout(() => {
    isSlow = true;
    logger.info({ laneId: call.laneId }, 'lane.slow');
    void quietly(store.writes.narrowLane(call));
  }, slowCallMs);
  const performed = await work().finally(() => clearTimeout(timer));
  const isRefused = performed.results.some((result) => !result.ok && result.error.scope === 'lane');
  if (call.isNarrowed && !isSlow && !isRefused && performed.calls > 0) {
    await quietly(store.writes.widenLane(call, config.laneConcurrency));
  }
  return performed;
}
