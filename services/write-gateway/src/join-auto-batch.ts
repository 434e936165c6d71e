import { topics } from '@sluice/messaging';
import { newId, type BatchableWrite, type BatchMembership, type Joining } from '@sluice/store';
import { minutesToMs } from '@sluice/types';
import { coalesce } from '@sluice/writes';
import type { GatewayContext } from './context';
import { onCurrentInstallation, toRecord, type WriteCall } from './resolve-write';

/** Records of one joining transaction at most: what fills a batch. Source: reliability notes 2.9. */
const recordsPerJoin = 100;
/** Plans of one joining transaction, in bytes. Source: design, section 1, decision 5. */
const joinBytesMax = 1_000_000;
/** Joins of one batch key at the same time: a third would only wait for the row lock. */
const joinsPerKey = 1;
/** Batch keys with a coalescer in memory; an idle one is forgotten. */
const idleKeysMax = 10_000;

/**
 * Puts single asynchronous writes into the auto-batch of their installation, object and type. Order: 1. commit the record as a
 * member of the open batch, which decides its operation. 2. Reply. 3. Announce. No batch lives in memory.
 */
export function joiner(context: GatewayContext): (call: WriteCall) => Promise<BatchMembership | 'key-taken'> {
  const joinOf = perKey(context);
  const announcer = context.messaging.announcer(topics.autoBatched);
  const accepted = context.metrics.counter('sluice_writes_accepted_total', 'Records accepted, by mode.', ['mode']);

  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const [planned] = write.planned;
      const { operation } = write;
      if (planned === undefined || call.request.autoBatchPolicy === undefined) return 'stale';
      const record = toRecord(call, write, planned);
      const maxDelayMs = minutesToMs(call.request.autoBatchPolicy.maxDelayMinutes);
      const { idempotency } = call;
      const joining = { recordId: newId(), operation, record, maxDelayMs };
      const batchable: BatchableWrite = { ...joining, ...(idempotency && { idempotency }) };
      const membership = await joinOf(keyOf(batchable))(batchable);
      if (membership === 'stale' || membership === 'key-taken') return membership;
      await context.failpoints.hit('gw.after_commit');
      accepted.inc({ mode: 'auto-batched' });
      const { traceparent } = operation;
      context.logger.debug(
        { operationId: membership.operationId, index: membership.index, traceparent },
        'write.accepted',
      );
      announcer.announce(
        topics.autoBatched.key({ ...operation, ...operation.pins }),
        toAnnouncement(batchable, membership),
      );
      await context.failpoints.hit('gw.before_reply');
      return membership;
    });
}

type Join = (write: BatchableWrite) => Promise<Joining>;

/** A coalescer per batch key: records of one key share the row lock, records of different keys never wait for each other. */
function perKey(context: GatewayContext): (key: string) => Join {
  const joins = new Map<string, Join>();
  return (key) => {
    const known = joins.get(key);
    if (known !== undefined) return known;
    if (joins.size >= idleKeysMax) joins.delete(joins.keys().next().value as string);
    const join = coalesce<BatchableWrite, Joining>({
      run: async (writes) => {
        const joined = await context.store.writes.join(writes);
        return writes.map(({ recordId }) => joined.get(recordId) ?? 'stale');
      },
      itemsMax: recordsPerJoin,
      runsMax: joinsPerKey,
      weightOf: ({ record }) => record.plan.length,
      weightMax: joinBytesMax,
      keyOf: ({ idempotency }) => idempotency?.key,
    });
    joins.set(key, join);
    return join;
  };
}

function keyOf({ operation }: BatchableWrite): string {
  return JSON.stringify([operation.projectId, operation.pins.installationId, operation.objectName, operation.type]);
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
