import type { Connector } from '@sluice/connectors';
import type { ClaimedCall, Intent, PendingRecord, Settlement } from '@sluice/store';
import { HeldBytes, asStep, classOf } from '@sluice/telemetry';
import { type LiveCredentials, limits } from '@sluice/types';
import {
  type Hold,
  type LookupOutcome,
  type PerformedCall,
  type RefreshUsed,
  type Sendable,
  decideSettlement,
  findCredentials,
  leaseMs,
  noteOutcome,
  performAndLearn,
  planCalls,
  reconcileCall,
  settleAndReport,
  toSendables,
} from '@sluice/writes';
import type { ExecutorContext } from './context';
import {
  type Ending,
  cancelled,
  disconnected,
  endCall,
  endRecord,
  isOverdue,
  overdue,
  quarantined,
  reconnected,
  tooLarge,
  undeclared,
  uninstalled,
} from './end-calls';
import type { FreshClaim, LaneQueue } from './lane-queue';
import { CallTrace } from './trace-call';

/** Crashes of one call, the last two of them alone in its process, after which it is taken out. Source: ADR 23. */
const crashesMax = 4;
/** Pause of a call that failed before it was sent: a fault of ours, or of the database. */
const giveBackMs = 2_000;
/** A lane whose calls take longer has one at a time: its account would hold sockets that others could use. */
const slowCallMs = 5_000;

/** One claimed call while it runs. */
interface Run {
  readonly call: ClaimedCall;
  readonly hold: Hold;
  readonly lanes: LaneQueue;
  /** One lease after the claim, of `performance.now()`: a call that was not sent by then is released, however often its lease was renewed. */
  readonly sendDeadlineMs: number;
  /** Whose account is called; absent until the connection was read. */
  connection?: Pick<LiveCredentials, 'provider' | 'groupRef'>;
  /** Its unfinished records; absent until they were loaded. */
  pending?: readonly PendingRecord[];
  readonly trace: CallTrace;
  /** What its plans and the provider's replies take of memory, until the call is settled. */
  readonly held: HeldBytes;
  /** The intent is committed: the call counts as sent, and must not be given back. */
  isIntended: boolean;
}

/** What is sent, and with what. */
interface Sending {
  readonly records: readonly Sendable[];
  readonly connector: Connector;
  readonly live: LiveCredentials;
  /** `performance.now()` when the records were loaded: their time left counts from there. */
  readonly loadedAtMs: number;
}

/**
 * Runs one claimed call; never rejects. Order: 0. reserve memory for its plans; a call with more than an executor loads is divided instead.
 * 1. Load its unfinished records, and end them if they may not be sent any more. 2. Credentials. 3. In doubt: reconcile; else send.
 * 4. Settle behind the fence, and go on trying while the database is away. If the process dies before the intent, the call becomes
 * ready again; after it, it is in doubt.
 */
export async function runCall(context: ExecutorContext, claim: FreshClaim, lanes: LaneQueue): Promise<void> {
  const { call, claimedAtMs } = claim;
  const hold = context.leases.hold(call, claimedAtMs);
  const trace = new CallTrace(claim);
  const held = new HeldBytes(`project:${call.projectId}`);
  const run: Run = { call, hold, lanes, sendDeadlineMs: claimedAtMs + leaseMs, trace, held, isIntended: false };
  await trace.step.run(async () => {
    try {
      trace.end(await runHeld(context, run));
    } catch (error) {
      context.logger.warn({ error, operationId: call.operationId, call: call.number }, 'call.interrupted');
      // After the intent nothing is known to be lost: the lease lapses, and the executor that claims it next reconciles.
      if (!run.isIntended) await giveBack(context, run, giveBackMs).catch(() => undefined);
      trace.end(undefined, classOf(error));
    } finally {
      held.end();
      hold.end();
    }
  });
}

/** @returns what was settled; undefined when the call was given back, or is no longer ours */
async function runHeld(context: ExecutorContext, run: Run): Promise<Settlement | undefined> {
  const { call } = run;
  traceStep(context, call, 'call.claimed');
  await context.failpoints.hit('ex.after_claim');
  if (!isTooLarge(call)) {
    const hasRoom = await context.plans.take(await bytesToLoad(context, call), run.sendDeadlineMs, run.held);
    if (!hasRoom) return await giveBack(context, run, 0);
  }
  const settlement = isTooLarge(call) ? await divideCall(context, call) : await work(context, run);
  if (settlement !== undefined) await settleCall(context, run, settlement);
  return settlement;
}

/** Of its plans. A lookup of creates compares what it finds with what other creates have sent: their plans are loaded too. */
async function bytesToLoad({ store }: ExecutorContext, call: ClaimedCall): Promise<number> {
  const { planBytes = 0, type, isInDoubt } = call;
  return isInDoubt && type === 'create' ? planBytes + (await store.writes.measureRivals(call)) : planBytes;
}

async function work(context: ExecutorContext, run: Run): Promise<Settlement | undefined> {
  const { call } = run;
  const loadedAtMs = performance.now();
  const pending = await context.loadPending(call);
  run.pending = pending;
  run.trace.load(pending);
  if (pending.length === 0) return endCall(call, [], disconnected);
  const restriction = await findRestriction(context, call);
  if (restriction !== undefined) return endCall(call, pending, restriction);
  // Before a plan is parsed, which may be what crashed the executors.
  if (call.crashCount >= crashesMax) return endCall(call, pending, quarantined, 'quarantined');
  const live = await findCredentials(context.installations, call);
  if (live === undefined) return endCall(call, pending, disconnected);
  run.connection = { provider: live.provider, groupRef: live.groupRef };
  run.trace.step.note({ provider: live.provider });
  const records = toSendables(pending);
  const sending: Sending = { records, live, loadedAtMs, connector: context.connectors.get(live.provider) };
  return call.isInDoubt ? await reconcile(context, run, sending) : await sendCall(context, run, sending);
}

async function settleCall(context: ExecutorContext, run: Run, settlement: Settlement): Promise<void> {
  const { call, lanes, pending, connection: { provider, groupRef } = {} } = run;
  // A call in doubt is looked up, so it does not count as a retry.
  const isRetried = !call.isInDoubt;
  const of = { provider, groupRef, isRetried, sent: pending, lateEvent: 'call.fence-lost', logsSuccess: true };
  const settled = await settleAndReport(context, call, settlement, of);
  await context.failpoints.hit('ex.after_finish');
  if (!settled.isHeld) return;
  for (const lane of settled.released) lanes.wake(lane, 'message');
  const next = settled.next ?? settlement.next;
  if ('delayMs' in next) lanes.wakeLater(call, next.delayMs);
  // The end of this run wakes the lane for the parts.
  const { operationId, number } = call;
  if (settled.parts) context.logger.info({ operationId, call: number, parts: settled.parts.length }, 'call.split');
}

/**
 * Why a call that was accepted may not be sent any more; undefined: it may. Only what restricts counts: the plan stays as it was
 * accepted. The facts came with the claim, and the intent compares them once more. What was sent before is reconciled, also
 * after a change. Deletes need no check: they are synchronous, so no executor sends one.
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
function isTooLarge({ planBytes = 0 }: ClaimedCall): boolean {
  return planBytes > limits.planBytesMax;
}

/**
 * Divides a call that is too large: it continues as calls of usual size, before a plan of it is read. A call that was sent and is in doubt ends,
 * because its records must not be sent again, and looking for them takes their plans. A call that is all or none cannot be divided.
 */
async function divideCall({ store }: ExecutorContext, call: ClaimedCall): Promise<Settlement> {
  const pending = await store.writes.readPendingSizes(call);
  if (call.isInDoubt || call.allOrNone || pending.length < 2) return endCall(call, pending, tooLarge, 'quarantined');
  const { connectionId } = call;
  const records = pending.map((each) => ({ ...each, connectionId, headersKey: '', isBehindAnother: false }));
  const parts = planCalls(records, { records: pending.length }).map(({ recordIndexes }) => recordIndexes);
  return split(call, parts);
}

/**
 * Sends a call. Order: 1. end the records whose deadline has passed. 2. Divide it, if the account takes only smaller ones. 3. Quota.
 * 4. Commit the intent; no row, no send. 5. The provider call. 6. Block the lane or mark the connection, if the reply requires it.
 * 7. Decide what to settle.
 * @returns what to settle; undefined when the call was given back, or is no longer ours
 */
async function sendCall(context: ExecutorContext, run: Run, given: Sending): Promise<Settlement | undefined> {
  const { call, hold, lanes } = run;
  const { connector } = given;
  const late = given.records.filter(isOverdue);
  const records = given.records.filter((record) => !isOverdue(record));
  const sending = { ...given, records };
  if (records.length === 0) return endCall(call, late, overdue);
  const parts = context.callSizes.partsOf({ call, records, connector });
  if (parts.length > 0) return addExpired(split(call, parts), late);
  if (!canStillSend(run)) return await giveBack(context, run, 0);
  const quota = await context.quotas.take(call, connector, 'asynchronous');
  if (!quota.granted) lanes.sleep(call, quota.retryAfterMs);
  if (!quota.granted || !canStillSend(run)) return await giveBack(context, run, 0);
  if (!(await context.recordIntent(toIntent(call, sending)))) {
    // The lease is still ours: something changed since the claim, so the call may not be sent. The next claim finds out why.
    return hold.mayStillSend() ? await giveBack(context, run, 0) : undefined;
  }
  run.isIntended = true;
  traceStep(context, call, 'call.intended');
  await context.failpoints.hit('ex.after_intent');
  return addExpired(await perform(context, run, sending), late);
}

/** The settlement of a call that continues as others before anything of it is sent. */
function split(call: ClaimedCall, parts: readonly (readonly number[])[]): Settlement {
  return { ...call, isCreate: call.type === 'create', records: [], next: { state: 'split', parts }, orderKeys: [] };
}

function toIntent(call: ClaimedCall, { records, connector }: Sending): Intent {
  const indexes = records.map(({ index, write }) => ({
    index,
    ...(call.type === 'create' ? { fingerprint: connector.fingerprint(call.objectName, write.fields) } : {}),
  }));
  return { ...call, records: indexes };
}

async function perform(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold, held } = run;
  const { records, connector, live, loadedAtMs } = sending;
  const request = { call, records, connector, live, hold, held, priority: 'asynchronous' } as const;
  const refresh = refresherOf(context, call);
  const findClaimed = (ids: readonly string[]) => context.store.writes.findClaimedIds(call, ids);
  const pace = watchPace(context, call);
  const [performed] = await Promise.all([
    performAndLearn(context, { ...request, refresh, findClaimed }),
    // Beside the call: `exit9=8` dies when the request has left and the reply has not come.
    context.failpoints.hit('ex.after_send_before_reply'),
  ]).finally(() => clearTimeout(pace.timer));
  await widenIfQuick(context, call, performed, pace.isSlow);
  traceStep(context, call, 'call.performed');
  await context.failpoints.hit('ex.after_reply_before_finish');
  await note(context, run, performed);
  const { lateCommitMs } = connector.capabilities;
  const elapsedMs = performance.now() - loadedAtMs;
  return decideSettlement({ call, records, performed, elapsedMs, lateCommitMs, random: Math.random });
}

/**
 * Finds out the outcome of a call in doubt. What a lookup shows about the account is used like what a send shows. A 429 blocks the lane (a 429 of the
 * search alone: its searches), and a token that is refused for good marks the connection. Every lookup counts against the quota, after what callers
 * wait for.
 */
async function reconcile(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold } = run;
  const { callTimeoutMs, timeScale } = context.config;
  const lookUp = () =>
    reconcileCall(context.store.writes, {
      ...sending,
      call,
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
  await note(context, run, lookup);
  context.logger.info({ operationId, call: number, next: settlement.next.state }, 'call.reconciled');
  return settlement;
}

async function note(
  context: ExecutorContext,
  { call, lanes }: Run,
  outcome: LookupOutcome | PerformedCall,
): Promise<void> {
  const blockedMs = await noteOutcome(context, call, outcome, 'call.outcome-not-noted');
  if (blockedMs > 0) lanes.sleep(call, blockedMs);
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
 * Watches how long the account takes for a call. After 5 s the lane is narrowed, while the call continues: the cap is in the lane's row,
 * because what one process sees must hold for all of them. A call in time that the account did not refuse doubles the width of a narrowed lane. The
 * lane stands at one after a block too, so that a block ends with one probe and a slow start. A call that ends in our own fault says nothing about
 * the account.
 */
function watchPace(context: ExecutorContext, call: ClaimedCall): { readonly timer: NodeJS.Timeout; isSlow: boolean } {
  const onSlow = (): void => {
    pace.isSlow = true;
    context.logger.info({ laneId: call.laneId }, 'lane.slow');
    void keepWidth(context, call, context.store.writes.narrowLane(call));
  };
  const pace = { isSlow: false, timer: setTimeout(onSlow, slowCallMs) };
  return pace;
}

async function widenIfQuick(
  context: ExecutorContext,
  call: ClaimedCall,
  { results, calls }: PerformedCall,
  isSlow: boolean,
): Promise<void> {
  const isRefused = results.some((result) => !result.ok && result.error.scope === 'lane');
  if (call.isNarrowed !== true || isSlow || isRefused || calls === 0) return;
  await keepWidth(context, call, context.store.writes.widenLane(call, context.config.laneConcurrency));
}

/** A width that cannot be stored now is stored after a later call. */
async function keepWidth({ logger }: ExecutorContext, { laneId }: ClaimedCall, stored: Promise<void>): Promise<void> {
  await stored.catch((error: unknown) => logger.warn({ error, laneId }, 'lane.pace-not-noted'));
}

/** Whether the call may be sent now: its lease is held, it has not waited too long, and its lane was not put to sleep meanwhile. */
function canStillSend({ call, hold, lanes, sendDeadlineMs }: Run): boolean {
  return hold.mayStillSend() && performance.now() < sendDeadlineMs && !lanes.isAsleep(call);
}

/** Releases a call that was not sent: an orderly release, no crash. Without a delay it keeps its position in the lane. */
async function giveBack(context: ExecutorContext, { call, lanes }: Run, delayMs: number): Promise<undefined> {
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
function traceStep(
  { logger }: ExecutorContext,
  { operationId, number, traceparent }: ClaimedCall,
  event: string,
): void {
  logger.debug({ operationId, call: number, traceparent }, event);
}
