import { DefectError } from '@sluice/errors';
import { type WriteType, limits } from '@sluice/types';
import type { Knex } from 'knex';
import { momentOf } from '../new-id';
import { type BatchKey, closeDueBatch } from './close-batch';
import { kilobytes, membersText } from './write-rows';
import type { AcceptPosition } from './load-records';
import { column, planByKeys, preparedRowsSql, rowBindings } from '../row-source';
import { type StoredRow, optional, plain, table } from '../table';

/** A record of a sealed batch, as far as planning calls needs it. */
const sealedRecords = table({
  index: plain<number>('record_index'),
  connectionId: plain('connection_id'),
  headersKey: plain('headers_key'),
  orderKey: optional(plain('order_key')),
  /** An earlier write to the same provider record is unfinished. */
  isBehindAnother: plain<boolean>('is_behind'),
  /** Size of its plan, in bytes as it is stored. */
  planBytes: plain<number>('plan_bytes'),
});

export interface SealedRecord extends ReturnType<typeof sealedRecords.read> {
  /** Absent: it was not read from a batch. */
  readonly accepted?: AcceptPosition;
}

/** A call planned from a sealed batch: numbers count from 1. */
export interface PlannedCall {
  readonly number: number;
  readonly connectionId: string;
  readonly recordIndexes: readonly number[];
  /** Of all its plans. */
  readonly planBytes: number;
  /** Its parent in a trace. @default that of the operation */
  readonly traceparent?: string;
}

/** A planned call as it is stored. Its lane is its connection's: a batch may span a change of connection. */
export interface SealedCall {
  readonly number: number;
  readonly laneId: string;
}

const sealedBatches = table({
  projectId: plain('project_id'),
  operationId: plain('id'),
  installationId: plain('installation_id'),
  laneId: plain('lane_id'),
  provider: plain('provider'),
  objectName: plain('object_name'),
  type: plain<WriteType>('type'),
  traceparent: plain('traceparent'),
  sealedAt: plain<Date>('sealed_at'),
  dueAt: plain<Date>('due_at'),
  recordsTotal: plain<number>('records'),
});

/** The batch and the calls it became; what the announcement of each needs. */
export interface SealedBatch extends ReturnType<typeof sealedBatches.read> {
  readonly calls: readonly SealedCall[];
}

/** `not-due`: milliseconds until it is; `gone`: sealed already; `missing`: there is no such operation. */
export type Sealing =
  | { readonly kind: 'sealed'; readonly batch: SealedBatch }
  | { readonly kind: 'not-due'; readonly dueInMs: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'missing' };

export type PlanCalls = (
  records: readonly SealedRecord[],
  batch: { provider: string; type: WriteType; traceparent: string },
) => PlannedCall[];

/**
 * Flushes one auto-batch in one transaction. Any number of replicas may try; one wins.
 * Order: 1. take its row of `closed_batches`; where it has none, close it if it is due, and take the row then. 2. Read the members in a statement begun
 * after that, so that it sees every join that committed before the closing. 3. Plan calls: the planned records and the stored ones must equal the count of
 * the closing, else everything rolls back. 4. Seal the operation and insert the calls. No record is written.
 */
export async function sealBatch(database: Knex, key: BatchKey, planCalls: PlanCalls): Promise<Sealing> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(planByKeys);
    const taken = (await take(transaction, key)) ?? (await takeDue(transaction, key));
    if (taken === undefined) return await whyNot(transaction, key);
    const members = await readMembers(transaction, key);
    const calls = planCalls(members.map(toSealedRecord), taken);
    const planned = calls.flatMap((call) => call.recordIndexes);
    const { recordsTotal: total } = taken;
    if (new Set(planned).size !== total || [planned, members].some(({ length }) => length !== total)) {
      throw defect(
        key,
        `A sealed batch counts ${total} records, ${members.length} are stored, ${planned.length} planned.`,
      );
    }
    const retryMs = new Map(members.map((row) => [row.record_index, Number(row.retry_ms)]));
    const stored = await insertCalls(
      transaction,
      key,
      calls.map((call) => ({
        ...call,
        retryMs: Math.min(...call.recordIndexes.map((index) => retryMs.get(index) ?? 0)),
      })),
      total,
    );
    return { kind: 'sealed', batch: { ...taken, calls: stored } };
  });
}

const takeSql = `
    with taken as (delete from closed_batches where project_id = :projectId and operation_id = :operationId returning *)
     select o.project_id, o.id, o.installation_id, o.lane_id, l.provider, o.object_name, o.type, o.traceparent, t.records, o.due_at, now() as sealed_at
     from taken t join operations o on o.project_id = t.project_id and o.id = t.operation_id
     join lanes l on l.project_id = o.project_id and l.id = o.lane_id`;

type TakenBatch = Omit<SealedBatch, 'calls'> | undefined;

/** Whoever deletes the row seals the batch, or ends it with its installation. */
async function take(transaction: Knex.Transaction, key: BatchKey): Promise<TakenBatch> {
  const taking = transaction.raw<{ rows: StoredRow[] }>(takeSql, { ...key });
  return sealedBatches.first((await taking.options({ name: 'take-batch' })).rows);
}

async function takeDue(transaction: Knex.Transaction, key: BatchKey): Promise<TakenBatch> {
  return (await closeDueBatch(transaction, key)) ? await take(transaction, key) : undefined;
}

function defect({ operationId }: BatchKey, detail: string): DefectError {
  return new DefectError({ code: 'service.defect', detail, meta: { operationId } });
}

async function whyNot(transaction: Knex.Transaction, key: BatchKey): Promise<Sealing> {
  const result = await transaction.raw<{ rows: { is_open: boolean; due_in_ms: number }[] }>(
    `select state = 'accumulating' as is_open, extract(epoch from due_at - now())::float8 * 1000 as due_in_ms from operations
     where project_id = :projectId and id = :operationId`,
    { ...key },
  );
  const row = result.rows[0];
  if (row?.is_open !== true) return { kind: row === undefined ? 'missing' : 'gone' };
  return { kind: 'not-due', dueInMs: Math.max(1, Math.ceil(row.due_in_ms)) };
}

interface MemberRow extends StoredRow {
  readonly operation_id: string;
  readonly record_index: number;
  readonly traceparent: string;
  readonly accepted_at: Date | null;
  readonly retry_ms: string;
}

const membersSql = `
    select r.operation_id, r.record_index, r.headers_key,
            coalesce(r.connection_id, (select o.connection_id from operations o
              where o.project_id = :projectId and o.id = :operationId)) as connection_id, r.order_key, r.traceparent, r.accepted_at,
            octet_length(r.plan) as plan_bytes, r.retry_ms,
            r.order_key is not null and (
              select 1 from order_queue e where e.project_id = r.project_id and e.order_key = r.order_key
                and e.operation_id <> r.operation_id and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index) limit 1) is not null as is_behind
     from records r where r.project_id = :projectId and r.operation_id = :operationId
     order by r.accept_seq, r.record_index`;

/** Reads lengths only, not the plans. */
async function readMembers(transaction: Knex.Transaction, key: BatchKey): Promise<MemberRow[]> {
  const reading = transaction.raw<{ rows: MemberRow[] }>(membersSql, { ...key });
  return (await reading.options({ name: 'read-members' })).rows;
}

function toSealedRecord(row: MemberRow): SealedRecord {
  const accepted = { traceparent: row.traceparent, at: row.accepted_at ?? momentOf(row.operation_id) };
  return { ...sealedRecords.read(row), accepted };
}

interface NewCall extends PlannedCall {
  /** Shortest retry time of its records. */
  readonly retryMs: number;
}

const callColumns = [
  column<NewCall>('number', 'integer', (call) => call.number),
  column<NewCall>('connection_id', 'text', (call) => call.connectionId),
  column<NewCall>('traceparent', 'text', (call) => call.traceparent ?? null),
  column<NewCall>('plan_kb', 'integer', (call) => kilobytes(call.planBytes)),
  column<NewCall>('members', 'text', (call) => membersText(call.recordIndexes)),
  column<NewCall>('retry_ms', 'bigint', (call) => call.retryMs),
];

const insertSql = `
    with sealed as (
       update operations o set state = 'queued', records_total = ?, is_full = ?, calls_open = ?, updated_at = now()
       where o.project_id = ? and o.id = ? and o.state = 'accumulating' returning *),
     called as (
       insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, traceparent, plan_kb,
                          members, deadline)
       select o.project_id, o.id, i.number, coalesce(n.lane_id, o.lane_id), i.connection_id, o.object_name, o.type, o.mode,
              'ready', coalesce(i.traceparent, o.traceparent), i.plan_kb,
              case when o.calls_open > 1 then i.members::integer[] end, now() + make_interval(secs => i.retry_ms / 1000.0)
       from ${preparedRowsSql('i', callColumns)} cross join sealed o left join connections n on n.project_id = o.project_id and n.id = i.connection_id
       returning number, lane_id)
     select c.number, c.lane_id from called c order by c.number`;

async function insertCalls(
  transaction: Knex.Transaction,
  key: BatchKey,
  calls: readonly NewCall[],
  records: number,
): Promise<SealedCall[]> {
  const inserting = transaction.raw<{ rows: { number: number; lane_id: string }[] }>(insertSql, [
    records,
    records >= limits.autoBatchRecordsMax,
    calls.length,
    key.projectId,
    key.operationId,
    ...rowBindings(callColumns, calls),
  ] as Knex.Value[]);
  const { rows } = await inserting.options({ name: 'seal-batch' });
  if (rows.length !== calls.length) {
    throw defect(key, `A batch was to be sealed with ${calls.length} calls, ${rows.length} were stored.`);
  }
  return rows.map((row) => ({ number: row.number, laneId: row.lane_id }));
}
