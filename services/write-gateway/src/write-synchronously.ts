import { ConflictError, NotFoundError } from '@sluice/errors';
import type { ClaimedCall, SynchronousWrite } from '@sluice/store';
import { laneBlocked, leaseMs, takeLaneQuota, toSendables } from '@sluice/writes';
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
 * Writes now, in the request. Order: 1. take quota. 2. Commit operation, running call, records and intent, in a statement that refuses if the
 * lane is blocked and returns the credentials. 3. The provider call, under the lease, and the parts of one that is refused whole. 4. Settle.
 * 5. Reply. If the gateway dies after 2, the lease lapses and an executor finds out what happened; it never sends the write.
 */
export function synchronousWriter(context: GatewayContext): (call: WriteCall) => Promise<EndedWrite | 'key-taken'> {
  const accepted = context.metrics.counter('sluice_writes_accepted_total').labels({ mode: 'synchronous' });
  const took = context.metrics.histogram('sluice_accept_duration_seconds').labels({ mode: 'synchronous' });
  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const startedAtMs = performance.now();
      const opened = await open(context, call, write);
      if (opened === 'stale' || opened === 'key-taken') return opened;
      noteWrite(write, write.operation.id);
      took.observe((performance.now() - startedAtMs) / 1_000);
      accepted.inc(write.planned.length);
      await context.failpoints.hit('gw.after_commit');
      const ended = await sendOpened(context, write, opened);
      await context.failpoints.hit('gw.before_reply');
      return ended;
    });
}

/** Opens the operation, waiting while a call executes on the same record at this moment. */
async function open(
  context: GatewayContext,
  call: WriteCall,
  write: ResolvedWrite,
): Promise<Opened | 'stale' | 'key-taken'> {
  const { credentials } = context.installations;
  const { operation } = write;
  const { idempotency } = call;
  const connection = { projectId: operation.projectId, connectionId: operation.pins.connectionId };
  const records = toRecords(call, write);
  let known = credentials.find(connection);
  let isRefreshed = false;
  const startedAtMs = performance.now();
  for (;;) {
    const quota = await takeLaneQuota(context, operation, write.connector);
    const openedAtMs = performance.now();
    const opening = await context.openSynchronous({
      operation,
      records,
      owner: context.owner,
      leaseMs,
      isRefreshed,
      ...(idempotency && { idempotency }),
      ...(known && { knownTokenVersion: known.tokenVersion }),
    });
    if (opening.kind === 'opened') {
      const sendables = toSendables(records.map((record) => ({ ...record, sendState: 'sent', leftMs: 0 })));
      const live = () => credentials.confirm(connection, opening.credentials, known);
      return {
        call: runningCall(write),
        records: sendables,
        openedAtMs,
        queuedBehind: opening.queuedBehind,
        request: call,
        live,
      };
    }
    quota.giveBack?.();
    if (opening.kind === 'blocked') throw laneBlocked(opening.blockedMs);
    if (opening.kind === 'stale') credentials.forget(connection);
    if (opening.kind === 'stale' || opening.kind === 'key-taken') return opening.kind;
    if (opening.kind === 'expiring') {
      const live = await context.installations
        .liveCredentials(connection.projectId, connection.connectionId)
        .catch(goneAsUndefined);
      // What is known of the installation is older than the end of its connection.
      if (live === undefined) return 'stale';
      known = live;
      isRefreshed = true;
      continue;
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

function goneAsUndefined(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

function toRecords(call: WriteCall, write: ResolvedWrite): SynchronousWrite['records'] {
  const { type, objectName } = write.operation;
  return write.planned.map((planned, index) => {
    const fingerprint = type === 'create' ? write.connector.fingerprint(objectName, planned.plan.fields) : undefined;
    const record = { ...toRecord(call, write, planned), index, callNumber: 1 };
    return fingerprint === undefined ? record : { ...record, fingerprint };
  });
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
