import { ConflictError, NotFoundError } from '@sluice/errors';
import type { ClaimedCall } from '@sluice/store';
import { assertLaneOpen, leaseMs, toSendables } from '@sluice/writes';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayContext } from './context';
import type { EndedWrite } from './present-write';
import { noteWrite } from './note-write';
import { onCurrentInstallation, toRecord, type ResolvedWrite, type WriteCall } from './resolve-write';
import { sendOpened, type Opened } from './send-opened';

/** Longest wait for a call that is executing on the same record. */
const busyMaxMs = 10_000;
const busyPollMs = 50;
/** When a refused caller may come again: a call that took ten seconds is at its end soon. */
const busyRetryAfterMs = 1_000;

/**
 * Writes now, in the request. Order: 1. refuse if the lane is blocked or its quota is spent. 2. Commit operation, running
 * call, records and intent. 3. The provider call, under the lease, and the parts of one that is refused whole. 4. Settle. 5. Reply. If the gateway dies after 2, the
 * lease lapses and an executor finds out what happened; it never sends the write.
 */
export function synchronousWriter(context: GatewayContext): (call: WriteCall) => Promise<EndedWrite | 'key-taken'> {
  const accepted = context.metrics.counter('sluice_writes_accepted_total').labels({ mode: 'synchronous' });
  const took = context.metrics.histogram('sluice_accept_duration_seconds').labels({ mode: 'synchronous' });
  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const { projectId, laneId, pins } = write.operation;
      const [live] = await Promise.all([
        context.installations.liveCredentials(projectId, pins.connectionId).catch(goneAsUndefined),
        assertLaneOpen(context, { projectId, laneId }, write.connector),
      ]);
      // What is known of the installation is older than the end of its connection.
      if (live === undefined) return 'stale';
      const startedAtMs = performance.now();
      const opened = await open(context, call, write);
      if (opened === 'stale' || opened === 'key-taken') return opened;
      noteWrite(write, write.operation.id);
      took.observe((performance.now() - startedAtMs) / 1_000);
      accepted.inc(write.planned.length);
      await context.failpoints.hit('gw.after_commit');
      const ended = await sendOpened(context, write, opened, live);
      await context.failpoints.hit('gw.before_reply');
      return ended;
    });
}

function goneAsUndefined(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
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
    const opening = await context.openSynchronous({
      operation,
      records,
      owner: context.owner,
      leaseMs,
      ...(idempotency && { idempotency }),
    });
    if (opening.kind === 'stale' || opening.kind === 'key-taken') return opening.kind;
    if (opening.kind === 'opened') {
      const sendables = toSendables(records.map((record) => ({ ...record, sendState: 'sent', leftMs: 0 })));
      return {
        call: runningCall(write),
        records: sendables,
        openedAtMs,
        queuedBehind: opening.queuedBehind,
        request: call,
      };
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
