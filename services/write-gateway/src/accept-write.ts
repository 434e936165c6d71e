import { SluiceError } from '@sluice/errors';
import { topics } from '@sluice/messaging';
import { bytesOfPlans, type AcceptAnswer, type AcceptableWrite } from '@sluice/store';
import { limits, type AcceptedWriteReply } from '@sluice/types';
import { batchLimit, coalesce, planCalls } from '@sluice/writes';
import type { AskedRoom } from './admission';
import type { GatewayContext } from './context';
import { nameOfKey } from './idempotency';
import { noteWrite } from './note-write';
import { onCurrentInstallation, toRecord, type ResolvedWrite, type WriteCall } from './resolve-write';

/** Requests of one accepting statement at most; with large records `statementBytesMax` comes first. */
const writesPerStatement = 128;
/** Plans of one accepting statement, in bytes. */
const statementBytesMax = 1_000_000;
/** Accepting statements at the same time: one commits while the next one fills. */
const statementsAtOnce = 2;
/**
 * Below this, writes wait for the statement that is under way: one more costs, besides its rows, as much as sixteen rows in Postgres
 * (measured on two busy cores: 1 ms, and 0.06 ms a row) and fifty in this process (0.5 ms, and 0.01 ms a row).
 */
const writesBesideAnother = 48;
/** A call counts this many bytes at least. */
const bytesPerCall = 1_000;

/**
 * Accepts asynchronous writes, single or batch. Order: 1. refuse if the project's backlog is full. 2. Commit operation, calls and
 * records. 3. Reply. 4. Announce the calls. A crash after 2 loses nothing: a sweep finds calls that nobody announced.
 */
export function acceptor(context: GatewayContext): (call: WriteCall) => Promise<AcceptedWriteReply | 'key-taken'> {
  const accept = coalesce<AcceptableWrite, AcceptAnswer>({
    run: async (writes) => {
      const accepted = await context.store.writes.accept(writes);
      return writes.map(({ operation }) => accepted.get(operation.id) ?? 'stale');
    },
    itemsMax: writesPerStatement,
    runsMax: statementsAtOnce,
    itemsMin: writesBesideAnother,
    weightOf: ({ records }) => records.reduce((bytes, { plan }) => bytes + plan.length, 0),
    weightMax: statementBytesMax,
    keyOf: ({ operation, idempotency }) => nameOfKey(operation.projectId, idempotency),
  });
  const announcer = context.messaging.announcer(topics.ready);
  const accepted = context.metrics.counter('sluice_writes_accepted_total').labels({ mode: 'asynchronous' });
  const took = context.metrics.histogram('sluice_accept_duration_seconds').labels({ mode: 'asynchronous' });

  return (call) =>
    onCurrentInstallation(context, call, async (write) => {
      const { idempotency } = call;
      const records = toRecords(call, write);
      context.admission.assertRoom(roomFor(write, records));
      const acceptable = { operation: write.operation, records, ...(idempotency && { idempotency }) };
      const startedAtMs = performance.now();
      const acceptance = await accept(acceptable);
      if (acceptance instanceof SluiceError) throw acceptance;
      if (acceptance === 'stale' || acceptance === 'key-taken') return acceptance;
      await context.failpoints.hit('gw.after_commit');
      took.observe((performance.now() - startedAtMs) / 1_000);
      accepted.inc(acceptable.records.length);
      const { id: operationId, traceparent } = write.operation;
      noteWrite(write, operationId);
      context.logger.debug({ operationId, records: acceptable.records.length, traceparent }, 'write.accepted');
      announce(announcer, acceptable, acceptance.acceptedAt);
      await context.failpoints.hit('gw.before_reply');
      return { operationId: write.operation.id };
    });
}

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

function announce(
  announcer: ReturnType<GatewayContext['messaging']['announcer']>,
  { operation, records }: AcceptableWrite,
  acceptedAt: Date,
): void {
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
