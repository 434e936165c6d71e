import { ConflictError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import type { ClaimedCall, SynchronousWrite } from '@sluice/store';
import { findCredentials, laneBlocked, leaseMs, takeLaneQuota, toSendables, type Sendable } from '@sluice/writes';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayContext } from './context';
import { presentWrite } from './present-write';
import { toRecord, type Refused, type ResolvedWrite, type WriteCall } from './resolve-write';
import { sendOpened, type Opened } from './send-opened';

/** Longest wait for a call that is executing on the same record. */
const busyMaxMs = 10_000;
const busyPollMs = 50;
/** When a refused caller may come again: a call that took ten seconds is at its end soon. */
const busyRetryAfterMs = 1_000;

/**
 * Sends an opened write, with the parts of a call that is refused whole, settles it and replies. If the gateway dies meanwhile, the lease lapses and an
 * executor finds out what happened; it never sends the write.
 */
export async function replyWritten(context: GatewayContext, opened: Opened): Promise<Reply> {
  const ended = await sendOpened(context, opened);
  await context.failpoints.hit('gw.before_reply');
  return presentWrite(ended);
}

/**
 * Opens the operation, with quota and credentials to send it. Waits while a call executes on the same record at this moment, and refreshes a
 * token that is at its end; nothing is stored meanwhile.
 * @throws ProviderError when the account is blocked, its quota is spent, or its grant is gone
 * @throws ConflictError when the record stays busy
 */
export async function commitOpening(
  context: GatewayContext,
  call: WriteCall,
  write: ResolvedWrite,
): Promise<Opened | Refused> {
  const { credentials } = context.installations;
  const { operation, connector } = write;
  const { idempotency } = call;
  const { groupRef } = write.installation;
  const connection = { projectId: operation.projectId, connectionId: operation.pins.connectionId, groupRef };
  const records = toRecords(call, write);
  const base = { operation, records, owner: context.owner, leaseMs, ...(idempotency && { idempotency }) };
  const startedAtMs = performance.now();
  const busyUntilMs = startedAtMs + busyMaxMs;
  let known = credentials.find(connection);
  let isRefreshed = false;
  for (;;) {
    const quota = await takeLaneQuota(context, operation, connector);
    const openedAtMs = performance.now();
    const opening = await context.commits.open({
      ...base,
      isRefreshed,
      ...(known && { knownTokenVersion: known.tokenVersion }),
    });
    if (opening.kind === 'opened') {
      const live = () => credentials.confirm(connection, opening.credentials, known);
      const { queuedBehind } = opening;
      return {
        kind: 'opened',
        operationId: operation.id,
        startedAtMs,
        write,
        call: runningCall(write),
        records: sent(records),
        openedAtMs,
        queuedBehind,
        incoming: call,
        live,
      };
    }
    quota.giveBack?.();
    if (opening.kind === 'key-taken') return { kind: 'key-taken' };
    if (opening.kind === 'blocked') throw laneBlocked(opening.blockedMs);
    if (opening.kind === 'expiring') {
      known = await findCredentials(context.installations, connection);
      isRefreshed = true;
    }
    if (opening.kind === 'stale' || (isRefreshed && known === undefined)) {
      credentials.forget(connection);
      return { kind: 'stale' };
    }
    if (opening.kind === 'busy') {
      if (performance.now() > busyUntilMs) throw recordBusy();
      await sleep(busyPollMs);
    }
  }
}

function recordBusy(): ConflictError {
  return new ConflictError({
    code: 'write.record-busy',
    detail: 'Another write to this record is executing. Nothing was written.',
    meta: { retryable: true },
    retryAfterMs: busyRetryAfterMs,
  });
}

function sent(records: SynchronousWrite['records']): Sendable[] {
  return toSendables(records.map((record) => ({ ...record, sendState: 'sent', leftMs: 0 })));
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
