import { ConflictError } from '@sluice/errors';
import { topics } from '@sluice/messaging';
import { callId, type ClaimedCall, type KeyClaim, type Settled, type Settlement } from '@sluice/store';
import {
  assertLaneOpen,
  leaseMs,
  noteOutcome,
  performCall,
  settleSynchronous,
  toSendables,
  type PerformedCall,
  type RefreshUsed,
  type Sendable,
  settledOf,
  settlePersistently,
} from '@sluice/writes';
import type { LiveCredentials } from '@sluice/types';
import { setTimeout as sleep } from 'node:timers/promises';
import { announceReleased } from './announce-calls';
import { endingOf } from './answer-once';
import type { GatewayContext } from './context';
import type { EndedWrite } from './present-write';
import { onCurrentInstallation, toRecord, type ResolvedWrite, type WriteCall } from './resolve-write';

/** Longest wait for a call that is executing on the same record. Source: design, section 5.4. */
const busyMaxMs = 10_000;
const busyPollMs = 50;
/** Longest time a reply waits for its settlement; usually a millisecond. */
const replyWithoutSettlementMs = 1_000;
/** When a refused caller may come again: a call that took ten seconds is at its end soon. */
const busyRetryAfterMs = 1_000;

/**
 * Writes now, in the request. Order: 1. refuse if the lane is blocked or its quota is spent. 2. Commit operation, running
 * call, records and intent. 3. The provider call, under the lease. 4. Settle. 5. Reply. If the gateway dies after 2, the
 * lease lapses and an executor finds out what happened; it never sends the write.
 */
export function synchronousWriter(context: GatewayContext): (call: WriteCall) => Promise<EndedWrite | 'key-taken'> {
  const accepted = context.metrics.counter('sluice_writes_accepted_total', 'Records accepted, by mode.', ['mode']);
  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const { projectId, laneId, pins } = write.operation;
      const [live] = await Promise.all([
        context.installations.liveCredentials(projectId, pins.connectionId),
        assertLaneOpen(context, { projectId, laneId }, write.connector),
      ]);
      const opened = await open(context, call, write);
      if (opened === 'stale' || opened === 'key-taken') return opened;
      accepted.inc({ mode: 'synchronous' }, write.planned.length);
      await context.failpoints.hit('gw.after_commit');
      const ended = await send(context, write, { ...opened, idempotency: call.idempotency }, live);
      await context.failpoints.hit('gw.before_reply');
      return ended;
    });
}

interface Opened {
  readonly call: ClaimedCall;
  readonly records: readonly Sendable[];
  readonly openedAtMs: number;
  readonly queuedBehind: readonly string[];
  readonly idempotency?: KeyClaim | undefined;
}

/** Opens the operation, waiting while a call executes on the same record at this moment. */
async function open(
  context: GatewayContext,
  call: WriteCall,
  write: ResolvedWrite,
): Promise<Opened | 'stale' | 'key-taken'> {
  const { operation } = write;
  const { idempotency } = call;
  const records = write.planned.map((planned, index) => {
    const fingerprint =
      operation.type === 'create' ? write.connector.fingerprint(operation.objectName, planned.plan.fields) : undefined;
    return {
      ...toRecord(call, write, planned),
      index,
      callNumber: 1,
      ...(fingerprint === undefined ? {} : { fingerprint }),
    };
  });
  const startedAtMs = performance.now();
  for (;;) {
    const openedAtMs = performance.now();
    const opening = await context.store.writes.openSynchronous({
      operation,
      records,
      owner: context.owner,
      leaseMs,
      ...(idempotency && { idempotency }),
    });
    if (opening.kind === 'stale' || opening.kind === 'key-taken') return opening.kind;
    if (opening.kind === 'opened') {
      const sendables = toSendables(records.map((record) => ({ ...record, sendState: 'sent', leftMs: 0 })));
      return { call: runningCall(write), records: sendables, openedAtMs, queuedBehind: opening.queuedBehind };
    }
    if (performance.now() - startedAtMs > busyMaxMs) {
      throw new ConflictError({
        code: 'write.record-busy',
        detail: 'Another write to this record is executing. Nothing was written.',
        meta: { retryable: true },
        retryAfterMs: busyRetryAfterMs,
      });
    }
    await sleep(busyPollMs);
  }
}

function runningCall({ operation }: ResolvedWrite): ClaimedCall {
  const { projectId, id, laneId, objectName, type, allOrNone, traceparent } = operation;
  return {
    projectId,
    operationId: id,
    number: 1,
    laneId,
    connectionId: operation.pins.connectionId,
    objectName,
    type,
    mode: 'synchronous',
    allOrNone,
    fence: 1,
    attempts: 0,
    crashCount: 0,
    isInDoubt: false,
    traceparent,
  };
}

async function send(
  context: GatewayContext,
  write: ResolvedWrite,
  opened: Opened,
  live: LiveCredentials,
): Promise<EndedWrite> {
  const { call, records } = opened;
  const hold = context.leases.hold(call, opened.openedAtMs);
  const { connector } = write;
  const refresh: RefreshUsed = ({ connectionId, tokenVersion }) =>
    context.installations.refreshCredentials(call.projectId, connectionId, tokenVersion);
  const takeQuota = () => context.quotas.take(call, connector, 'synchronous');
  const request = { call, records, connector, live, refresh, hold, takeQuota };
  const performed = await performCall(request).catch((error: unknown) => {
    // A defect. A lease that is renewed without end would keep the record busy for ever.
    hold.end();
    throw error;
  });
  context.quotas.learn(call, performed.quota);
  const { lateCommitMs } = connector.capabilities;
  const ended = toEnded(write, opened, performed);
  const idempotency = endingOf(opened.idempotency, ended);
  const settlement = settleSynchronous({ call, records, performed, lateCommitMs });
  const settling = (async () => {
    await noteOutcome(context.store, call, performed).catch((error: unknown) => {
      context.logger.warn({ error, operationId: call.operationId }, 'write.outcome-not-noted');
    });
    await settle(context, { ...settlement, ...(idempotency && { idempotency }) }, write);
  })().finally(() => {
    hold.end();
    context.settling.delete(settling);
  });
  context.settling.add(settling);
  // The provider's answer is known and is the reply. Storing it goes on, under the lease, while the database is away.
  await Promise.race([settling, sleep(replyWithoutSettlementMs, undefined, { ref: false })]);
  return ended;
}

function toEnded({ operation, isBatch }: ResolvedWrite, opened: Opened, performed: PerformedCall): EndedWrite {
  return {
    operationId: operation.id,
    type: operation.type,
    isBatch,
    results: performed.results,
    sentFields: performed.sentFields,
    queuedBehind: opened.queuedBehind,
  };
}

async function settle(context: GatewayContext, settlement: Settlement, { operation }: ResolvedWrite): Promise<void> {
  const { operationId } = settlement;
  try {
    const offer = async (each: Settlement): Promise<Settled> => {
      return settledOf((await context.store.writes.settle([each])).get(callId(each)), each);
    };
    const settled = await settlePersistently(offer, settlement);
    if (!settled.isHeld) context.logger.warn({ operationId }, 'write.settled-late');
    announceReleased(context.messaging.announcer(topics.ready), settled.released);
  } catch (error) {
    // The lease lapses, and an executor finds out what happened.
    context.logger.error({ error, operationId, traceparent: operation.traceparent }, 'write.not-settled');
  }
}
