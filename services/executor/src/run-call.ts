import { NotFoundError } from '@sluice/errors';
import { callId, type ClaimedCall, type Settled, type Settlement } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import {
  coalesce,
  leaseMs,
  reconcileCall,
  settledOf,
  settlePersistently,
  toSendables,
  type RefreshUsed,
} from '@sluice/writes';
import type { FreshClaim } from './claim-loop';
import type { ExecutorContext } from './context';
import { cancelled, disconnected, endCall, quarantined, uninstalled } from './ended-records';
import type { LaneQueue } from './lane-queue';
import { giveBack, refresherOf, traceStep, type Run } from './run';
import { callSender, type SendCall, type Sending } from './send-call';

/** Crashes of one call, the last of them alone in its process, after which it is taken out. Source: design, section 5.11. */
const crashesMax = 3;
/** Calls of one settling statement. */
const callsPerSettlement = 64;
/** Pause of a call that failed before it was sent: a fault of ours, or of the database. */
const giveBackMs = 2_000;

/**
 * Runs one claimed call. Order: 1. load its unfinished records. 2. Credentials. 3. In doubt: reconcile; else send.
 * 4. Settle behind the fence, and go on trying while the database is away. If the process dies before the intent, the call becomes
 * ready again; after it, it is in doubt.
 */
export function callRunner(context: ExecutorContext): (claim: FreshClaim, lanes: LaneQueue) => Promise<void> {
  const { leases, logger } = context;
  const send = callSender(context);
  const settle = settler(context);
  return async ({ call, claimedAtMs }, lanes) => {
    const run: Run = { call, hold: leases.hold(call, claimedAtMs), lanes, isIntended: false };
    try {
      traceStep(context, call, 'call.claimed');
      await context.failpoints.hit('ex.after_claim');
      const settlement = await work(context, run, send);
      if (settlement !== undefined) await settle(run, settlement);
    } catch (error) {
      logger.warn({ error, operationId: call.operationId, call: call.number }, 'call.interrupted');
      // After the intent nothing is known to be lost: the lease lapses, and whoever claims next reconciles.
      if (!run.isIntended) await giveBack(context, run, giveBackMs).catch(() => undefined);
    } finally {
      run.hold.end();
    }
  };
}

async function work(context: ExecutorContext, run: Run, send: SendCall): Promise<Settlement | undefined> {
  const { call } = run;
  const loadedAtMs = performance.now();
  const records = toSendables(await context.store.writes.loadPending(call));
  if (records.length === 0) return endCall(call, [], disconnected);
  if (call.isUninstalled && !call.isInDoubt) return endCall(call, records, uninstalled);
  if (call.isCancelled && !call.isInDoubt) return endCall(call, records, cancelled);
  if (call.crashCount >= crashesMax) return endCall(call, records, quarantined, 'quarantined');
  const live = await findCredentials(context, call);
  if (live === undefined) return endCall(call, records, disconnected);
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

async function reconcile(context: ExecutorContext, run: Run, sending: Sending): Promise<Settlement> {
  const { call, hold } = run;
  const { callTimeoutMs, timeScale } = context.config;
  const settlement = await reconcileCall(context.store.writes, {
    call,
    records: sending.records,
    connector: sending.connector,
    live: sending.live,
    refresh: lookRefresher(context, call),
    signal: hold.signal,
    senderMs: leaseMs + callTimeoutMs,
    timeScale,
  });
  const { operationId, number } = call;
  context.logger.info({ operationId, call: number, next: settlement.next.state }, 'call.reconciled');
  return settlement;
}

/** A look that is refused for good marks the connection, as a send would. */
function lookRefresher(context: ExecutorContext, call: ClaimedCall): RefreshUsed {
  const refresh = refresherOf(context, call);
  return async (used) => {
    const newer = await refresh(used);
    const { connectionId, tokenVersion } = used;
    const refused = { projectId: call.projectId, connectionId, tokenVersion, status: 'bad_credentials' } as const;
    if (newer === undefined) await context.store.connections.setStatus(refused);
    return newer;
  };
}

function settler(context: ExecutorContext): (run: Run, settlement: Settlement) => Promise<void> {
  const records = context.metrics.counter('sluice_records_settled_total', 'Records settled, by outcome.', ['outcome']);
  const settle = coalesce<Settlement, Settled | undefined>({
    run: async (settlements) => {
      const answers = await context.store.writes.settle(settlements);
      return settlements.map((settlement) => answers.get(callId(settlement)));
    },
    itemsMax: callsPerSettlement,
    runsMax: 2,
  });
  return async ({ call, lanes }, settlement) => {
    const settled = await settlePersistently(async (each) => settledOf(await settle(each), each), settlement);
    await context.failpoints.hit('ex.after_finish');
    if (!settled.isHeld) {
      context.logger.warn({ operationId: call.operationId, call: call.number }, 'call.fence-lost');
      return;
    }
    traceStep(context, call, 'call.settled');
    for (const record of settlement.records) records.inc({ outcome: record.kind });
    for (const lane of settled.released) lanes.wake(lane, 'message');
    const next = settled.next ?? settlement.next;
    if ('delayMs' in next) lanes.wakeLater(call, next.delayMs);
    if (settled.ended === undefined) return;
    const { status, operationId } = settled.ended;
    context.logger.info({ operationId, status, traceparent: call.traceparent }, 'operation.ended');
  };
}
