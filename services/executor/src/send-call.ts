import type { Connector } from '@sluice/connectors';
import { type ClaimedCall, type Intent, type Settlement, callId } from '@sluice/store';
import { type HeldBytes, asStep } from '@sluice/telemetry';
import type { LiveCredentials } from '@sluice/types';
import {
  type Hold,
  type LookupOutcome,
  type PerformedCall,
  type RefreshUsed,
  type Sendable,
  coalesce,
  decideSettlement,
  leaseMs,
  noteOutcome,
  performCall,
  reconcileCall,
  sharedStatement,
} from '@sluice/writes';
import type { ExecutorContext } from './context';
import { endRecord, isOverdue, overdue } from './end-calls';
import type { LaneQueue } from './lane-queue';
import type { CallTrace } from './trace-call';

/** A lane whose calls take longer has one at a time: its account would hold sockets that others could use. */
const slowCallMs = 5_000;

/** One claimed call while it runs. */
export interface Run {
  readonly call: ClaimedCall;
  readonly hold: Hold;
  readonly lanes: LaneQueue;
  /** One lease after the claim, of `performance.now()`: what has not left by then goes back, however often its lease was renewed. */
  readonly sendDeadlineMs: number;
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
 * Sends a call. Order: 1. end the records whose deadline has passed. 2. Divide it, if the account takes only smaller ones. 3. Quota.
 * 4. Commit the intent; no row, no send. 5. The provider call. 6. Block the lane or mark the connection, if the reply requires it.
 * 7. Decide what to settle.
 */
export function callSender(context: ExecutorContext): SendCall {
  const recordIntent = coalesce<Intent, boolean>({
    ...sharedStatement,
    run: async (intents) => {
      const sent = await context.store.writes.recordIntents(intents);
      return intents.map((intent) => sent.has(callId(intent)));
    },
  });
  return async (run, sending) => {
    const { call, hold } = run;
    const late = sending.records.filter(isOverdue);
    const records = sending.records.filter((record) => !isOverdue(record));
    if (records.length === 0)
      return addExpired(
        { ...call, isCreate: call.type === 'create', records: [], next: { state: 'done' }, orderKeys: [] },
        late,
      );
    const parts = context.callSizes.partsOf({ call, records, connector: sending.connector });
    if (parts.length > 0) return addExpired(split(call, parts), late);
    if (!canStillSend(run)) return await giveBack(context, run, 0);
    if (!(await takeQuota(context, run, sending.connector))) return undefined;
    if (!canStillSend(run)) return await giveBack(context, run, 0);
    if (!(await recordIntent(toIntent(run, { ...sending, records })))) {
      // The lease is still ours: something changed since the claim, so the call may not be sent. The next claim finds out why.
      return hold.mayStillSend() ? await giveBack(context, run, 0) : undefined;
    }
    run.isIntended = true;
    traceStep(context, call, 'call.intended');
    await context.failpoints.hit('ex.after_intent');
    return addExpired(await perform(context, run, { ...sending, records }), late);
  };
}

/** The settlement of a call that continues as others before anything of it is sent. */
export function split(call: ClaimedCall, parts: readonly (readonly number[])[]): Settlement {
  return { ...call, isCreate: call.type === 'create', records: [], next: { state: 'split', parts }, orderKeys: [] };
}

function toIntent({ call }: Run, { records, connector }: Sending): Intent {
  const indexes = records.map(({ index, write }) => ({
    index,
    ...(call.type === 'create' ? { fingerprint: connector.fingerprint(call.objectName, write.fields) } : {}),
  }));
  return { ...call, records: indexes };
}

async function perform(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold } = run;
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
  context.callSizes.learn(call, performed);
  await context.failpoints.hit('ex.after_reply_before_finish');
  await note(context, run, live, performed);
  const elapsedMs = performance.now() - sending.loadedAtMs;
  const { lateCommitMs } = connector.capabilities;
  return decideSettlement({ call, records, performed, elapsedMs, lateCommitMs, random: Math.random });
}

/**
 * Finds out the outcome of a call in doubt. What a lookup shows about the account is used like what a send shows. A 429 blocks the lane (a 429 of the
 * search alone: its searches), and a token that is refused for good marks the connection. Every lookup counts against the quota, after what callers
 * wait for.
 */
export async function reconcile(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold } = run;
  const { callTimeoutMs, timeScale } = context.config;
  const lookUp = () =>
    reconcileCall(context.store.writes, {
      call,
      records: sending.records,
      connector: sending.connector,
      live: sending.live,
      refresh: refresherOf(context, call),
      signal: hold.signal,
      takeQuota: (quota) => context.quotas.take(call, sending.connector, 'asynchronous', quota),
      senderMs: leaseMs + callTimeoutMs,
      timeScale,
    });
  const { operationId, number } = call;
  const { settlement, lookup } = await asStep('call.reconcile', { operationId, call: number }, lookUp);
  context.quotas.learn(call, lookup.quota);
  const failures = lookup.results.flatMap((result) => (result.ok ? [] : [result.error]));
  const ofSearch = failures.find(({ scope }) => scope === 'search');
  if (ofSearch !== undefined) await context.quotas.blockSearches(call, sending.connector, ofSearch.retryAfterMs);
  await note(context, run, sending.live, lookup);
  context.logger.info({ operationId, call: number, next: settlement.next.state }, 'call.reconciled');
  return settlement;
}

/** Blocks the lane or marks the connection, as the reply requires. What is known must be settled, whether or not that could be stored. */
async function note(
  context: ExecutorContext,
  { call, lanes }: Run,
  { provider }: LiveCredentials,
  outcome: LookupOutcome | PerformedCall,
): Promise<void> {
  try {
    const blockedMs = await noteOutcome(context, call, outcome);
    context.meters.called({ projectId: call.projectId, provider }, { ...outcome, blockedMs });
    if (blockedMs > 0) lanes.sleep(call, blockedMs);
  } catch (error) {
    context.logger.warn({ error, operationId: call.operationId }, 'call.outcome-not-noted');
  }
}

/** A call that the provider's quota does not allow now goes back without having been tried, and its lane sleeps. */
async function takeQuota(context: ExecutorContext, run: Run, connector: Connector): Promise<boolean> {
  const taken = await context.quotas.take(run.call, connector, 'asynchronous');
  if (taken.granted) return true;
  run.lanes.sleep(run.call, taken.retryAfterMs);
  await giveBack(context, run, 0);
  return false;
}

function addExpired(settlement: Settlement, late: readonly Sendable[]): Settlement {
  const records = late.map((record) => endRecord(record, overdue));
  const orderKeys = late.flatMap(({ orderKey }) => orderKey ?? []);
  return {
    ...settlement,
    records: [...settlement.records, ...records],
    orderKeys: [...settlement.orderKeys, ...orderKeys],
  };
}

/**
 * Makes a call and watches how long the account takes for it. After 5 s the lane is narrowed, while the call continues: the cap is in the lane's row,
 * because what one process sees must hold for all of them. A call in time that the account did not refuse doubles the width of a narrowed lane. The
 * lane stands at one after a block too, so that a block ends with one probe and a slow start. A call that ends in our own fault says nothing about
 * the account.
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

/** Whether the call may be sent now: its lease is held, it has not waited too long, and its lane was not put to sleep meanwhile. */
function canStillSend({ call, hold, lanes, sendDeadlineMs }: Run): boolean {
  return hold.mayStillSend() && performance.now() < sendDeadlineMs && !lanes.isAsleep(call);
}

/** Releases a call that was not sent: an orderly release, no crash. Without a delay it keeps its position in the lane. */
export async function giveBack(context: ExecutorContext, { call, lanes }: Run, delayMs: number): Promise<undefined> {
  await context.store.writes.release([{ ...call, delayMs, isInDoubt: call.isInDoubt }]);
  lanes.wakeLater(call, delayMs);
  return undefined;
}

/** How a call comes to newer credentials after a 401. */
function refresherOf({ installations }: ExecutorContext, { projectId }: ClaimedCall): RefreshUsed {
  return ({ connectionId, tokenVersion }, areFresh) =>
    installations.refreshCredentials(projectId, connectionId, tokenVersion, areFresh);
}

/** A step of the call, found by its trace. */
export function traceStep(
  { logger }: ExecutorContext,
  { operationId, number, traceparent }: ClaimedCall,
  event: string,
): void {
  logger.debug({ operationId, call: number, traceparent }, event);
}
