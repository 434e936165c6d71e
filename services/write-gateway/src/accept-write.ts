import { DefectError, SluiceError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import { announce } from '@sluice/messaging';
import { bytesOfPlans, newId, type NewRecord } from '@sluice/store';
import { limits, minutesToMs } from '@sluice/types';
import { batchLimit, planCalls } from '@sluice/writes';
import type { GatewayContext } from './context';
import { presentAccepted } from './present-write';
import { toRecord, type Refused, type ResolvedWrite, type WriteCall } from './resolve-write';

/** A call counts this many bytes at least. */
const bytesPerCall = 1_000;
/** A batch that is not full has a minute at least, so its announcement waits this long for others of its key: a sixtieth of a minute. */
const announceWithinMs = 1_000;

/** Commits operation, calls and records of an asynchronous write, single or batch, unless the project's backlog is full. */
export async function commitCalls(context: GatewayContext, call: WriteCall, write: ResolvedWrite) {
  const { operation, installation } = write;
  const { projectId, groupRef } = installation;
  const records = toRecords(call, write);
  const callNumbers = records.map(({ callNumber }) => callNumber);
  const writes = Math.max(...callNumbers);
  const bytes = Math.max(bytesOfPlans(records), writes * bytesPerCall);
  context.admission.assertRoom({ projectId, groupRef, writes, bytes });
  const { idempotency } = call;
  const startedAtMs = performance.now();
  const answer = await context.commits.accept({ operation, records, ...(idempotency && { idempotency }) });
  if (answer instanceof SluiceError) throw answer;
  return answer.kind === 'accepted' ? { ...answer, operationId: operation.id, callNumbers, startedAtMs } : answer;
}

/** The records with the calls that they will be sent in. */
function toRecords(call: WriteCall, write: ResolvedWrite): NewRecord[] {
  const rows = write.planned.map((planned, index) => ({ ...toRecord(call, write, planned), index, callNumber: 1 }));
  if (rows.length === 1) return rows;
  const records = batchLimit(write.connector.capabilities, write.operation.type) ?? 1;
  const { connectionId } = write.operation.pins;
  const calls = planCalls(
    rows.map((row) => ({ ...row, connectionId, isBehindAnother: false, planBytes: Buffer.byteLength(row.plan) })),
    // All or none is a matter of one call. What a request may hold bounds it.
    write.operation.allOrNone ? { records, planBytes: limits.planBytesMax } : { records },
  );
  const numbers = new Map(calls.flatMap((each) => each.recordIndexes.map((index) => [index, each.number] as const)));
  return rows.map((row) => ({ ...row, callNumber: numbers.get(row.index) ?? 1 }));
}

/**
 * Commits a single asynchronous write as a member of the open auto-batch of its installation, object and type, which decides its operation, unless the
 * project's backlog is full. No batch lives in memory.
 */
export async function commitMember(context: GatewayContext, call: WriteCall, write: ResolvedWrite) {
  const [planned] = write.planned;
  const { idempotency, request } = call;
  if (planned === undefined || request.autoBatchPolicy === undefined) {
    throw new DefectError({ code: 'service.defect', detail: 'An auto-batched write has one record and a policy.' });
  }
  const { operation, installation } = write;
  const { projectId, groupRef } = installation;
  const record = toRecord(call, write, planned);
  context.admission.assertRoom({ projectId, groupRef, writes: 1, bytes: bytesOfPlans([record]) });
  const recordId = newId();
  const maxDelayMs = minutesToMs(request.autoBatchPolicy.maxDelayMinutes);
  const batchable = { recordId, operation, record, maxDelayMs, ...(idempotency && { idempotency }) };
  const startedAtMs = performance.now();
  const answer = await context.commits.join(batchable);
  if (answer instanceof SluiceError) throw answer;
  return answer.kind === 'joined' ? { ...answer, recordId, startedAtMs } : answer;
}

type Answer = Awaited<ReturnType<typeof commitCalls | typeof commitMember>>;
type Accepted = Exclude<Answer, Refused> & { readonly write: ResolvedWrite };

/** Announces what was accepted, then replies. A crash before loses nothing: sweeps find calls and batches that were not announced. */
export async function replyAccepted(context: GatewayContext, call: WriteCall, accepted: Accepted): Promise<Reply> {
  const { operationId, acceptedAt, write } = accepted;
  const { operation, planned, unmapped } = write;
  const { traceparent, pins } = operation;
  const of = { ...operation, ...pins, operationId };
  if (accepted.kind === 'joined') {
    const { index, recordId, dueAt, isFull } = accepted;
    const dueTime = dueAt.toISOString();
    context.logger.debug({ operationId, index, traceparent }, 'write.accepted');
    const withinMs = isFull ? undefined : announceWithinMs / context.config.timeScale;
    const batch = { index, recordId, acceptedAt, dueAt: dueTime, isFull };
    announce(context.announcers.autoBatched, of, batch, withinMs);
    await context.failpoints.hit('gw.before_reply');
    return presentAccepted({ operationId, index, dueTime, ref: call.ref, unmapped });
  }
  context.logger.debug({ operationId, records: planned.length, traceparent }, 'write.accepted');
  for (const callNumber of new Set(accepted.callNumbers))
    announce(context.announcers.ready, of, { callNumber, acceptedAt });
  await context.failpoints.hit('gw.before_reply');
  return presentAccepted({ operationId, index: 0, ref: call.ref, unmapped });
}
