import { DefectError, SluiceError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import { announce } from '@sluice/messaging';
import { bytesOfPlans, newId, type NewRecord } from '@sluice/store';
import { limits, minutesToMs } from '@sluice/types';
import { batchLimit, planCalls } from '@sluice/writes';
import type { GatewayContext } from './context';
import { presentAccepted } from './present-write';
import { commitPlanned, toRecord, type ResolvedWrite, type WriteCall } from './resolve-write';

/** A call counts this many bytes at least. */
const bytesPerCall = 1_000;
/** A batch that is not full has a minute at least, so its announcement waits this long for others of its key: a sixtieth of a minute. */
const announceWithinMs = 1_000;

/**
 * Accepts an asynchronous write, single or batch. A crash after 3 loses nothing: a sweep finds calls that nobody announced.
 * @returns undefined when its idempotency key was taken: nothing was written
 */
export async function acceptWrite(context: GatewayContext, call: WriteCall): Promise<Reply | undefined> {
  // 1. Plan, 2. refuse, 3. commit.
  const accepted = await commitPlanned(context, call, commitCalls);
  if (accepted === undefined) return undefined;
  const { operationId, acceptedAt, callNumbers, write } = accepted;
  const { operation, planned, unmapped } = write;
  const { traceparent, pins } = operation;
  context.logger.debug({ operationId, records: planned.length, traceparent }, 'write.accepted');
  // 4. Announce the calls; they leave on their own.
  for (const callNumber of new Set(callNumbers))
    announce(context.announcers.ready, { ...operation, ...pins, operationId }, { callNumber, acceptedAt });
  await context.failpoints.hit('gw.before_reply');
  // 5. Reply.
  return presentAccepted({ operationId, index: 0, ref: call.ref, unmapped });
}

/** Commits operation, calls and records, unless the project's backlog is full. */
async function commitCalls(context: GatewayContext, call: WriteCall, write: ResolvedWrite) {
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
 * Puts a single asynchronous write into the auto-batch of its installation, object and type. No batch lives in memory: what dies
 * unannounced is found by the batcher's sweep.
 * @returns undefined when its idempotency key was taken: nothing was written
 */
export async function joinAutoBatch(context: GatewayContext, call: WriteCall): Promise<Reply | undefined> {
  // 1. Plan, 2. refuse, 3. commit the record as a member of the open batch, which decides its operation.
  const joined = await commitPlanned(context, call, commitMember);
  if (joined === undefined) return undefined;
  const { operationId, recordId, index, acceptedAt, isFull, write } = joined;
  const { operation, unmapped } = write;
  const { traceparent, pins } = operation;
  context.logger.debug({ operationId, index, traceparent }, 'write.accepted');
  // 4. Announce, at once if it is full.
  const dueAt = joined.dueAt.toISOString();
  const withinMs = isFull ? undefined : announceWithinMs / context.config.timeScale;
  const of = { ...operation, ...pins, operationId };
  announce(context.announcers.autoBatched, of, { index, recordId, acceptedAt, dueAt, isFull }, withinMs);
  await context.failpoints.hit('gw.before_reply');
  // 5. Reply.
  return presentAccepted({ operationId, index, ref: call.ref, unmapped });
}

/** Commits the record in the open batch of its key, unless the project's backlog is full. */
async function commitMember(context: GatewayContext, call: WriteCall, write: ResolvedWrite) {
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
