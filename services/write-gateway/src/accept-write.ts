import { SluiceError } from '@sluice/errors';
import { topics, type Announcer } from '@sluice/messaging';
import { bytesOfPlans, type AcceptAnswer, type AcceptableWrite } from '@sluice/store';
import { limits } from '@sluice/types';
import { batchLimit, coalesce, groupCommit, planCalls } from '@sluice/writes';
import type { AskedRoom } from './admission';
import type { GatewayContext } from './context';
import { nameOfKey } from './idempotency';
import type { AcceptedWrite } from './present-write';
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

/** A call counts this many bytes at least. */
const bytesPerCall = 1_000;

/** A single or batch write that is promised: its operation is committed. */
export interface Accepted extends AcceptedWrite {
  readonly kind: 'accepted';
}

/**
 * Accepts asynchronous writes, single or batch. A crash after 3 loses nothing: a sweep finds calls that nobody announced.
 */
export function acceptor(context: GatewayContext): (call: WriteCall) => Promise<Accepted | KeyTaken> {
  const commit = sharingAccepts(context);
  const announcer = context.messaging.announcer(topics.ready);
  const count = context.meters.accepting('asynchronous');

  return async (call) => {
    // 1. Plan, for the installation as it is known; for the one there is when the commit finds another.
    let write = await resolveKnown(context, call);
    for (let isAgain = false; ; isAgain = true) {
      const acceptable = toAcceptable(call, write);
      const { operation, records } = acceptable;
      // 2. Refuse if the project's backlog is full.
      context.admission.assertRoom(roomFor(write, records));
      // 3. Commit operation, calls and records.
      const startedAtMs = performance.now();
      const acceptance = await commit(acceptable);
      if (acceptance instanceof SluiceError) throw acceptance;
      if (acceptance.kind === 'key-taken') return acceptance;
      if (acceptance.kind === 'stale') {
        if (isAgain) throw changedMeanwhile();
        write = await resolveChanged(context, call);
        continue;
      }
      await context.failpoints.hit('gw.after_commit');
      count(write, records.length, performance.now() - startedAtMs);
      const { id: operationId, traceparent } = operation;
      noteWrite(write, operationId);
      context.logger.debug({ operationId, records: records.length, traceparent }, 'write.accepted');
      // 4. Announce the calls; they leave on their own.
      announce(announcer, acceptable, acceptance.acceptedAt);
      await context.failpoints.hit('gw.before_reply');
      // 5. Reply.
      const { unmapped } = write;
      return {
        kind: 'accepted',
        operationId,
        index: 0,
        unmapped,
        ...(call.ref === undefined ? {} : { ref: call.ref }),
      };
    }
  };
}

/** Commits in one statement what arrives at the same time. */
function sharingAccepts({ store }: GatewayContext): (write: AcceptableWrite) => Promise<AcceptAnswer> {
  return coalesce<AcceptableWrite, AcceptAnswer>({
    ...groupCommit,
    run: async (writes) => {
      const answers = await store.writes.accept(writes);
      return writes.map(({ operation }) => answers.get(operation.id) ?? { kind: 'stale' });
    },
    weightOf: ({ records }) => records.reduce((bytes, { plan }) => bytes + plan.length, 0),
    keyOf: ({ operation, idempotency }) => nameOfKey(operation.projectId, idempotency),
  });
}

function toAcceptable(call: WriteCall, write: ResolvedWrite): AcceptableWrite {
  const { idempotency } = call;
  return { operation: write.operation, records: toRecords(call, write), ...(idempotency && { idempotency }) };
}

/** The records with the calls that they will be sent in. */
function toRecords(call: WriteCall, write: ResolvedWrite): AcceptableWrite['records'] {
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

function roomFor(
  { installation: { projectId, groupRef } }: ResolvedWrite,
  records: AcceptableWrite['records'],
): AskedRoom {
  const writes = Math.max(...records.map(({ callNumber }) => callNumber));
  return { projectId, groupRef, writes, bytes: Math.max(bytesOfPlans(records), writes * bytesPerCall) };
}

function announce(announcer: Announcer, { operation, records }: AcceptableWrite, acceptedAt: Date): void {
  const write = {
    projectId: operation.projectId,
    operationId: operation.id,
    installationId: operation.pins.installationId,
    laneId: operation.laneId,
    objectName: operation.objectName,
    type: operation.type,
    acceptedAt: acceptedAt.toISOString(),
    traceparent: operation.traceparent,
  };
  for (const callNumber of new Set(records.map((record) => record.callNumber))) {
    announcer.announce(topics.ready.key(write), { ...write, callNumber });
  }
}
