import { DefectError } from '@sluice/errors';
import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { momentOf } from '../new-id';
import type { AcceptPlace } from './load-records';
import { column, rowSource } from '../row-source';
import { kilobytes } from './write-rows';

/** A record of a sealed batch, as far as planning calls needs it. */
export interface SealedRecord {
  readonly index: number;
  readonly connectionId: string;
  readonly headersKey: string;
  readonly orderKey?: string;
  /** An earlier write to the same provider record is unfinished. */
  readonly isBehindAnother: boolean;
  /** Size of its plan, in bytes as it is stored. */
  readonly planBytes: number;
  /** Absent: it was not read from a batch. */
  readonly accepted?: AcceptPlace;
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

/** The batch and the calls it became; what the announcement of each needs. */
export interface SealedBatch {
  readonly projectId: string;
  readonly operationId: string;
  readonly installationId: string;
  readonly laneId: string;
  readonly provider: string;
  readonly objectName: string;
  readonly type: WriteType;
  readonly traceparent: string;
  readonly sealedAt: Date;
  readonly dueAt: Date;
  readonly recordsTotal: number;
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

interface SealedRow {
  readonly installation_id: string;
  readonly lane_id: string;
  readonly provider: string;
  readonly object_name: string;
  readonly type: WriteType;
  readonly traceparent: string;
  readonly records_total: number;
  readonly due_at: Date;
  readonly sealed_at: Date;
}

/**
 * Flushes one auto-batch in one transaction. Any number of replicas may try; one wins.
 * Order: 1. seal (compare-and-set, takes the row lock that joins take). 2. Read the members in a statement begun after the
 * seal returned, so that it sees every join that committed before. 3. Plan calls. 4. Insert them; the planned rows must
 * equal the batch's count, else everything rolls back.
 */
export async function sealBatch(
  database: Knex,
  key: { projectId: string; operationId: string },
  planCalls: PlanCalls,
  timeScale: number,
): Promise<Sealing> {
  return await database.transaction(async (transaction) => {
    const sealed = await seal(transaction, key);
    if (sealed === undefined) return await whyNot(transaction, key);
    const records = await readMembers(transaction, key);
    const calls = planCalls(records, sealed);
    const planned = new Set(calls.flatMap((call) => call.recordIndexes));
    if (planned.size !== sealed.records_total || records.length !== sealed.records_total) {
      const detail = `A sealed batch counts ${sealed.records_total} records, ${records.length} are stored, ${planned.size} planned.`;
      throw new DefectError({ code: 'service.defect', detail, meta: { operationId: key.operationId } });
    }
    const stored = await insertCalls(transaction, key, calls, timeScale);
    return { kind: 'sealed', batch: toSealedBatch(key, sealed, stored) };
  });
}

async function seal(transaction: Knex.Transaction, key: { projectId: string; operationId: string }) {
  const result = await transaction.raw<{ rows: SealedRow[] }>(
    `update operations o set state = 'queued', updated_at = now()
     from lanes l
     where o.project_id = :projectId and o.id = :operationId and o.state = 'accumulating'
       and (o.is_full or o.due_at <= now() or o.cancel_requested_at is not null)
       and l.project_id = o.project_id and l.id = o.lane_id
     returning o.installation_id, o.lane_id, l.provider, o.object_name, o.type, o.traceparent, o.records_total, o.due_at,
               now() as sealed_at`,
    { ...key },
  );
  return result.rows[0];
}

async function whyNot(
  transaction: Knex.Transaction,
  key: { projectId: string; operationId: string },
): Promise<Sealing> {
  const result = await transaction.raw<{ rows: { is_open: boolean; due_in_ms: number }[] }>(
    `select state = 'accumulating' as is_open, extract(epoch from due_at - now())::float8 * 1000 as due_in_ms from operations
     where project_id = :projectId and id = :operationId`,
    { ...key },
  );
  const row = result.rows[0];
  if (row?.is_open !== true) return { kind: row === undefined ? 'missing' : 'gone' };
  return { kind: 'not-due', dueInMs: Math.max(1, Math.ceil(row.due_in_ms)) };
}

interface MemberRow {
  readonly record_index: number;
  readonly connection_id: string;
  readonly headers_key: string;
  readonly order_key: string | null;
  readonly is_behind: boolean;
  readonly traceparent: string;
  readonly record_id: string | null;
  readonly plan_bytes: number;
}

/** Reads lengths only, not the plans. */
async function readMembers(transaction: Knex.Transaction, key: { projectId: string; operationId: string }) {
  const result = await transaction.raw<{ rows: MemberRow[] }>(
    `select r.record_index, r.connection_id, r.headers_key, r.order_key, r.traceparent, r.record_id,
            octet_length(r.plan) as plan_bytes,
            r.order_key is not null and exists (
              select 1 from records e where e.project_id = r.project_id and e.order_key = r.order_key
                and e.outcome = 'pending' and e.operation_id <> r.operation_id
                and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index)) as is_behind
     from records r where r.project_id = :projectId and r.operation_id = :operationId
     order by r.accept_seq, r.record_index`,
    { ...key },
  );
  return result.rows.map((row): SealedRecord => ({
    index: row.record_index,
    connectionId: row.connection_id,
    headersKey: row.headers_key,
    ...(row.order_key === null ? {} : { orderKey: row.order_key }),
    isBehindAnother: row.is_behind,
    planBytes: row.plan_bytes,
    accepted: { traceparent: row.traceparent, at: momentOf(row.record_id ?? key.operationId) },
  }));
}

const callColumns = [
  column<PlannedCall>('number', 'integer', (call) => call.number),
  column<PlannedCall>('connection_id', 'text', (call) => call.connectionId),
  column<PlannedCall>('traceparent', 'text', (call) => call.traceparent ?? null),
  column<PlannedCall>('plan_kb', 'integer', (call) => kilobytes(call.planBytes)),
];

interface PlannedRecord {
  readonly number: number;
  readonly index: number;
}

const memberColumns = [
  column<PlannedRecord>('number', 'integer', (record) => record.number),
  column<PlannedRecord>('record_index', 'integer', (record) => record.index),
];

async function insertCalls(
  transaction: Knex.Transaction,
  key: { projectId: string; operationId: string },
  calls: readonly PlannedCall[],
  timeScale: number,
): Promise<SealedCall[]> {
  const rows = rowSource('i', callColumns, calls);
  const stored = await transaction.raw<{ rows: { number: number; lane_id: string }[] }>(
    `insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, traceparent,
                        plan_kb)
     select o.project_id, o.id, i.number, coalesce(n.lane_id, o.lane_id), i.connection_id, o.object_name, o.type, o.mode,
            'ready', coalesce(i.traceparent, o.traceparent), i.plan_kb
     from ${rows.sql} join operations o on o.project_id = ? and o.id = ?
     left join connections n on n.project_id = o.project_id and n.id = i.connection_id
     returning number, lane_id`,
    [...rows.bindings, key.projectId, key.operationId] as Knex.Value[],
  );
  const members = rowSource(
    'i',
    memberColumns,
    calls.flatMap((call) => call.recordIndexes.map((index) => ({ number: call.number, index }))),
  );
  await transaction.raw(
    `update records r set call_number = i.number,
            retry_until = now() + make_interval(secs => r.retry_ms / 1000.0 / ?::float8)
     from ${members.sql} where r.project_id = ? and r.operation_id = ? and r.record_index = i.record_index`,
    [timeScale, ...members.bindings, key.projectId, key.operationId] as Knex.Value[],
  );
  await transaction('operations')
    .where({ project_id: key.projectId, id: key.operationId })
    .update({ calls_open: calls.length });
  return stored.rows.map((row) => ({ number: row.number, laneId: row.lane_id }));
}

function toSealedBatch(
  key: { projectId: string; operationId: string },
  row: SealedRow,
  calls: readonly SealedCall[],
): SealedBatch {
  return {
    ...key,
    installationId: row.installation_id,
    laneId: row.lane_id,
    provider: row.provider,
    objectName: row.object_name,
    type: row.type,
    traceparent: row.traceparent,
    sealedAt: row.sealed_at,
    dueAt: row.due_at,
    recordsTotal: row.records_total,
    calls,
  };
}
