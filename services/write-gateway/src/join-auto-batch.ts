import { DefectError, SluiceError } from '@sluice/errors';
import { topics } from '@sluice/messaging';
import { bytesOfPlans, newId, type BatchableWrite, type BatchMembership, type JoinAnswer } from '@sluice/store';
import { minutesToMs } from '@sluice/types';
import { coalesce, groupCommit } from '@sluice/writes';
import type { GatewayContext } from './context';
import { nameOfKey } from './idempotency';
import {
  changedMeanwhile,
  noteWrite,
  resolveChanged,
  resolveKnown,
  toRecord,
  type KeyTaken,
  type ResolvedWrite,
  type WriteCall,
} from './resolve-write';

/** Records of one joining statement at most, whatever their batches: what fills one. */
const recordsPerJoin = 100;
/** A batch that is not full has a minute at least, so its announcement waits this long for others of its key: a sixtieth of a minute. */
const announceWithinMs = 1_000;

/** A record that is promised: it is a member of a batch, whose operation is committed. */
interface Joined extends BatchMembership {
  readonly kind: 'joined';
  /** See `ResolvedWrite`. */
  readonly unmapped: readonly string[];
}

/**
 * Puts single asynchronous writes into the auto-batch of their installation, object and type. No batch lives in memory: what dies
 * unannounced is found by the batcher's sweep.
 */
export function joiner(context: GatewayContext): (call: WriteCall) => Promise<Joined | KeyTaken> {
  const commit = sharingJoins(context);
  const announcer = context.messaging.announcer(topics.autoBatched);
  const count = context.meters.accepting('auto-batched');

  return async (call) => {
    // 1. Plan, for the installation as it is known; for the one there is when the commit finds another.
    let write = await resolveKnown(context, call);
    for (let isAgain = false; ; isAgain = true) {
      const batchable = toBatchable(call, write);
      const { operation, record } = batchable;
      const { projectId, groupRef } = write.installation;
      // 2. Refuse if the project's backlog is full.
      context.admission.assertRoom({ projectId, groupRef, writes: 1, bytes: bytesOfPlans([record]) });
      // 3. Commit the record as a member of the open batch, which decides its operation.
      const startedAtMs = performance.now();
      const membership = await commit(batchable);
      if (membership instanceof SluiceError) throw membership;
      if (membership === 'key-taken') return { kind: 'key-taken' };
      if (membership === 'stale') {
        if (isAgain) throw changedMeanwhile();
        write = await resolveChanged(context, call);
        continue;
      }
      await context.failpoints.hit('gw.after_commit');
      count(write, 1, performance.now() - startedAtMs);
      const { operationId, index } = membership;
      noteWrite(write, operationId);
      context.logger.debug({ operationId, index, traceparent: operation.traceparent }, 'write.accepted');
      // 4. Announce, at once if it is full.
      announcer.announce(
        topics.autoBatched.key({ ...operation, ...operation.pins }),
        toAnnouncement(batchable, membership),
        membership.isFull ? undefined : announceWithinMs / context.config.timeScale,
      );
      await context.failpoints.hit('gw.before_reply');
      // 5. Reply.
      return { kind: 'joined', ...membership, unmapped: write.unmapped };
    }
  };
}

/** Joins in one statement what arrives at the same time, whatever the batches. */
function sharingJoins({ store }: GatewayContext): (write: BatchableWrite) => Promise<JoinAnswer> {
  return coalesce<BatchableWrite, JoinAnswer>({
    ...groupCommit,
    run: async (writes) => {
      const joined = await store.writes.join(writes);
      return writes.map(({ recordId }) => joined.get(recordId) ?? 'stale');
    },
    itemsMax: recordsPerJoin,
    weightOf: ({ record }) => record.plan.length,
    keyOf: ({ operation, idempotency }) => nameOfKey(operation.projectId, idempotency),
  });
}

function toBatchable(call: WriteCall, write: ResolvedWrite): BatchableWrite {
  const [planned] = write.planned;
  const { idempotency, request } = call;
  if (planned === undefined || request.autoBatchPolicy === undefined) {
    throw new DefectError({ code: 'service.defect', detail: 'An auto-batched write has one record and a policy.' });
  }
  const maxDelayMs = minutesToMs(request.autoBatchPolicy.maxDelayMinutes);
  const record = toRecord(call, write, planned);
  return { recordId: newId(), operation: write.operation, record, maxDelayMs, ...(idempotency && { idempotency }) };
}

function toAnnouncement(write: BatchableWrite, membership: BatchMembership) {
  const { operation } = write;
  return {
    projectId: operation.projectId,
    operationId: membership.operationId,
    installationId: operation.pins.installationId,
    laneId: operation.laneId,
    objectName: operation.objectName,
    type: operation.type,
    index: membership.index,
    recordId: write.recordId,
    acceptedAt: membership.acceptedAt.toISOString(),
    dueAt: membership.dueAt.toISOString(),
    isFull: membership.isFull,
    traceparent: operation.traceparent,
  };
}
