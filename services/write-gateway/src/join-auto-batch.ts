import { SluiceError } from '@sluice/errors';
import { topics } from '@sluice/messaging';
import { bytesOfPlans, newId, type BatchableWrite, type BatchMembership, type JoinAnswer } from '@sluice/store';
import { minutesToMs } from '@sluice/types';
import { coalesce } from '@sluice/writes';
import type { GatewayContext } from './context';
import { nameOfKey } from './idempotency';
import { noteWrite, onCurrentInstallation, toRecord, type WriteCall } from './resolve-write';

/** Records of one joining statement at most, whatever their batches: what fills one. */
const recordsPerJoin = 100;
/** Plans of one joining statement, in bytes. */
const joinBytesMax = 1_000_000;
/** A batch that is not full has a minute at least, so its announcement waits this long for others of its key: a sixtieth of a minute. */
const announceWithinMs = 1_000;
/** Joins at the same time: on a hot key one commits while the next one waits for the row lock. */
const joinsAtOnce = 2;

/**
 * Puts single asynchronous writes into the auto-batch of their installation, object and type. Order: 1. commit the record as a
 * member of the open batch, which decides its operation. 2. Reply. 3. Announce, at once if it is full. No batch lives in memory: what dies
 * unannounced is found by the batcher's sweep.
 */
export function joiner(context: GatewayContext): (call: WriteCall) => Promise<BatchMembership | 'key-taken'> {
  const join = coalesce<BatchableWrite, JoinAnswer>({
    run: async (writes) => {
      const joined = await context.store.writes.join(writes);
      return writes.map(({ recordId }) => joined.get(recordId) ?? 'stale');
    },
    itemsMax: recordsPerJoin,
    runsMax: joinsAtOnce,
    weightOf: ({ record }) => record.plan.length,
    weightMax: joinBytesMax,
    keyOf: ({ operation, idempotency }) => nameOfKey(operation.projectId, idempotency),
  });
  const announcer = context.messaging.announcer(topics.autoBatched);
  const accepted = context.metrics.counter('sluice_writes_accepted_total').labels({ mode: 'auto-batched' });
  const took = context.metrics.histogram('sluice_accept_duration_seconds').labels({ mode: 'auto-batched' });

  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const [planned] = write.planned;
      const { operation } = write;
      if (planned === undefined || call.request.autoBatchPolicy === undefined) return 'stale';
      const record = toRecord(call, write, planned);
      const { projectId, groupRef } = write.installation;
      context.admission.assertRoom({ projectId, groupRef, writes: 1, bytes: bytesOfPlans([record]) });
      const maxDelayMs = minutesToMs(call.request.autoBatchPolicy.maxDelayMinutes);
      const { idempotency } = call;
      const joining = { recordId: newId(), operation, record, maxDelayMs };
      const batchable: BatchableWrite = { ...joining, ...(idempotency && { idempotency }) };
      const startedAtMs = performance.now();
      const membership = await join(batchable);
      if (membership instanceof SluiceError) throw membership;
      if (membership === 'stale' || membership === 'key-taken') return membership;
      await context.failpoints.hit('gw.after_commit');
      took.observe((performance.now() - startedAtMs) / 1_000);
      accepted.inc();
      const { traceparent } = operation;
      noteWrite(write, membership.operationId);
      context.logger.debug(
        { operationId: membership.operationId, index: membership.index, traceparent },
        'write.accepted',
      );
      announcer.announce(
        topics.autoBatched.key({ ...operation, ...operation.pins }),
        toAnnouncement(batchable, membership),
        membership.isFull ? undefined : announceWithinMs / context.config.timeScale,
      );
      await context.failpoints.hit('gw.before_reply');
      return membership;
    });
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
