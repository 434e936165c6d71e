import { DefectError } from '@sluice/errors';
import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { pinsAreCurrent } from './accept-writes';
import { claimIn, completeIn, type KeyClaim, type KeyedOperation } from './idempotency-key';
import { column, rowSource } from './row-source';
import type { NewOperation, NewRecord } from './write-rows';

/** A record that joins the open auto-batch of its installation, object and type, or opens one. */
export interface BatchableWrite {
  /** Id that the gateway gave the record: a repeated join finds it. */
  readonly recordId: string;
  /** What a new batch would be made from; its id is used only if this record opens one. */
  readonly operation: NewOperation;
  readonly record: Omit<NewRecord, 'index' | 'callNumber'>;
  /** Delay of the batch if this record opens it, in unscaled milliseconds. */
  readonly maxDelayMs: number;
  /** Claimed in the transaction that joins. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/** Where the record went. `operationId` is the master operation that writes it. */
export interface BatchMembership {
  readonly operationId: string;
  readonly index: number;
  readonly acceptedAt: Date;
  readonly dueAt: Date;
  readonly isFull: boolean;
}

interface Placement {
  readonly write: BatchableWrite;
  readonly operationId: string;
  readonly index: number;
}

/** What a join answers. `stale`: a pin has changed; `key-taken`: the key belongs to another write; nothing was written. */
export type Joining = BatchMembership | 'stale' | 'key-taken';

type Memberships = Map<string, Joining>;

/**
 * Joins records of ONE batch key (installation, object, type) in one transaction. The open batch's row lock is the one
 * that sealing takes too, so a record is a member exactly if its insert committed before the seal, and the id in the
 * reply is the operation that writes it. Running it twice with the same records stores them once.
 *
 * Order: 1. answer what is stored already or stale. 2. Claim idempotency keys, before any batch is locked. 3. Open the
 * batch, or lock the open one. 4. Insert the records that fit. 5. Grow the count by the rows inserted; mark it full. 6. From 3
 * with the overflow. 7. Write down where the keys' records went.
 */
export async function insertIntoBatch(
  database: Knex,
  writes: readonly BatchableWrite[],
  timeScale: number,
): Promise<Memberships> {
  return await database.transaction(async (transaction) => {
    const answers = await findAnswered(transaction, writes);
    await answerTaken(transaction, writes, answers, timeScale);
    const placed: Placement[] = [];
    let joining = writes.filter((write) => !answers.has(write.recordId));
    while (joining.length > 0) {
      const batch = await openBatch(transaction, joining[0] as BatchableWrite, timeScale);
      const taken = joining.slice(0, limits.autoBatchRecordsMax - batch.total);
      const placements = taken.map((write, at) => ({ write, operationId: batch.id, index: batch.total + at }));
      await insertRecords(transaction, placements);
      const grown = await growBatch(transaction, placements);
      for (const { write, index } of placements) {
        answers.set(write.recordId, { operationId: batch.id, index, dueAt: batch.dueAt, ...grown });
      }
      placed.push(...placements);
      joining = joining.slice(taken.length);
    }
    await completeIn(transaction, placed.flatMap(toCompleted));
    return answers;
  });
}

/** Claims the keys of what is about to join. A key is named with the operation that its record would open. */
async function answerTaken(
  transaction: Knex.Transaction,
  writes: readonly BatchableWrite[],
  answers: Memberships,
  timeScale: number,
): Promise<void> {
  const keyed = writes.filter(({ recordId, idempotency }) => idempotency !== undefined && !answers.has(recordId));
  const claims = keyed.map(({ operation, idempotency }) => {
    return { projectId: operation.projectId, operationId: operation.id, claim: idempotency as KeyClaim };
  });
  const claimed = await claimIn(transaction, claims, timeScale);
  for (const { recordId, operation } of keyed) if (!claimed.has(operation.id)) answers.set(recordId, 'key-taken');
}

function toCompleted({ write, operationId, index }: Placement): KeyedOperation[] {
  if (write.idempotency === undefined) return [];
  const { ref } = write.record;
  const reply = { kind: 'accepted', operationId, index, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId: write.operation.projectId, operationId, claim: write.idempotency, reply }];
}

const pinColumns = [
  column<BatchableWrite>('project_id', 'text', (w) => w.operation.projectId),
  column<BatchableWrite>('record_id', 'text', (w) => w.recordId),
  column<BatchableWrite>('installation_id', 'text', (w) => w.operation.pins.installationId),
  column<BatchableWrite>('config_id', 'text', (w) => w.operation.pins.configId),
  column<BatchableWrite>('connection_id', 'text', (w) => w.operation.pins.connectionId),
  column<BatchableWrite>('integration_id', 'text', (w) => w.operation.integrationId),
  column<BatchableWrite>('revision_id', 'text', (w) => w.operation.pins.revisionId),
  column<BatchableWrite>('key_id', 'text', (w) => w.operation.pins.keyId),
];

interface AnsweredRow {
  readonly record_id: string;
  readonly operation_id: string | null;
  readonly record_index: number;
  readonly created_at: Date;
  readonly due_at: Date;
  readonly is_full: boolean;
}

/** Holds the installation: it is deleted before, then nothing joins, or after, then its deletion sees the batch. */
async function findAnswered(transaction: Knex.Transaction, writes: readonly BatchableWrite[]): Promise<Memberships> {
  const input = rowSource('i', pinColumns, writes);
  const { projectId, pins } = (writes[0] as BatchableWrite).operation;
  const result = await transaction.raw<{ rows: AnsweredRow[] }>(
    `with held as materialized (select id from installations where project_id = ? and id = ? for key share)
     select i.record_id, r.operation_id, r.record_index, o.created_at, o.due_at, o.is_full
     from ${input.sql}
     left join records r on r.project_id = i.project_id and r.record_id = i.record_id
     left join operations o on o.project_id = r.project_id and o.id = r.operation_id
     where r.operation_id is not null or not (${pinsAreCurrent}) or not exists (select 1 from held)`,
    [projectId, pins.installationId, ...input.bindings] as Knex.Value[],
  );
  return new Map(result.rows.map((row) => [row.record_id, row.operation_id === null ? 'stale' : toMembership(row)]));
}

function toMembership(row: AnsweredRow): BatchMembership {
  return {
    operationId: row.operation_id as string,
    index: row.record_index,
    acceptedAt: row.created_at,
    dueAt: row.due_at,
    isFull: row.is_full,
  };
}

interface OpenBatch {
  readonly id: string;
  readonly total: number;
  readonly dueAt: Date;
}

/** Returns the key's open batch with its row locked; opens one if there is none. The first record sets `due_at`. */
async function openBatch(transaction: Knex.Transaction, write: BatchableWrite, timeScale: number): Promise<OpenBatch> {
  const { operation } = write;
  const result = await transaction.raw<{ rows: { id: string; records_total: number; due_at: Date }[] }>(
    `insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name,
                             type, mode, state, due_at, traceparent)
     values (:projectId, :id, :integrationId, :installationId, :configId, :connectionId, :laneId, :objectName, :type,
             'auto-batched', 'accumulating', now() + make_interval(secs => cast(:delayMs as float8) / 1000 / cast(:timeScale as float8)),
             :traceparent)
     on conflict (project_id, installation_id, object_name, type)
       where state = 'accumulating' and not is_full and cancel_requested_at is null
       do update set updated_at = now()
     returning id, records_total, due_at`,
    { ...operation, ...operation.pins, pins: null, delayMs: write.maxDelayMs, timeScale } as never,
  );
  const row = result.rows[0];
  if (row === undefined) throw new DefectError({ code: 'service.defect', detail: 'An open batch was not returned.' });
  return { id: row.id, total: row.records_total, dueAt: row.due_at };
}

const recordColumns = [
  column<Placement>('project_id', 'text', (p) => p.write.operation.projectId),
  column<Placement>('operation_id', 'text', (p) => p.operationId),
  column<Placement>('record_index', 'integer', (p) => p.index),
  column<Placement>('record_id', 'text', (p) => p.write.recordId),
  column<Placement>('ref', 'text', (p) => p.write.record.ref),
  column<Placement>('lane_id', 'text', (p) => p.write.operation.laneId),
  column<Placement>('connection_id', 'text', (p) => p.write.operation.pins.connectionId),
  column<Placement>('object_name', 'text', (p) => p.write.operation.objectName),
  column<Placement>('type', 'text', (p) => p.write.operation.type),
  column<Placement>('order_key', 'text', (p) => p.write.record.orderKey),
  column<Placement>('traceparent', 'text', (p) => p.write.operation.traceparent),
  column<Placement>('config_id', 'text', (p) => p.write.operation.pins.configId),
  column<Placement>('headers_key', 'text', (p) => p.write.record.headersKey),
  column<Placement>('plan', 'text', (p) => p.write.record.plan),
  column<Placement>('retry_ms', 'bigint', (p) => p.write.record.retryMs),
];

/** `retry_until` stays empty: the retry time of an auto-batched record starts at the seal. */
async function insertRecords(transaction: Knex.Transaction, placements: readonly Placement[]): Promise<void> {
  const input = rowSource('i', recordColumns, placements);
  const names = recordColumns.map((each) => each.name).join(', ');
  await transaction.raw(
    `insert into records (accept_seq, ${names}) select nextval('accept_seq'), ${names} from ${input.sql} order by ord`,
    input.bindings as Knex.Value[],
  );
}

async function growBatch(
  transaction: Knex.Transaction,
  placements: readonly Placement[],
): Promise<{ acceptedAt: Date; isFull: boolean }> {
  const { write, operationId } = placements[0] as Placement;
  const result = await transaction.raw<{ rows: { accepted_at: Date; is_full: boolean }[] }>(
    `update operations set records_total = records_total + :added, is_full = records_total + :added >= :size, updated_at = now()
     where project_id = :projectId and id = :operationId returning now() as accepted_at, is_full`,
    { projectId: write.operation.projectId, operationId, added: placements.length, size: limits.autoBatchRecordsMax },
  );
  const row = result.rows[0];
  if (row === undefined) throw new DefectError({ code: 'service.defect', detail: 'A locked batch has vanished.' });
  return { acceptedAt: row.accepted_at, isFull: row.is_full };
}
