import type { AcceptableWrite } from './accept-writes';
import { claimBindings, claimSql, type KeyedOperation } from './idempotency-key';
import { column, keptRowsMax, keptRowsSql, rowBindings, rowsSql } from '../row-source';
import { bytesOfPlans, kilobytes, type NewRecord } from './write-rows';
import { pinsAreCurrent, sourceColumns, type WriteSources } from './write-source';

/** What accepts a flush. Its text never changes, so its plan is kept (`renewPlans`). */
export interface AcceptStatement {
  /** Absent: planned for the occasion. */
  readonly name?: string;
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface PlacedWrite extends AcceptableWrite {
  readonly source: number;
  readonly calls: readonly NewCall[];
}

interface NewCall {
  readonly number: number;
  readonly planKb: number;
}

/** A call or a record with the place of its write in the flush, from 1. */
type Placed<Row> = { readonly place: number; readonly row: Row };

const operationColumns = [
  column<PlacedWrite>('id', 'text', (w) => w.operation.id),
  column<PlacedWrite>('source', 'integer', (w) => w.source),
  column<PlacedWrite>('traceparent', 'text', (w) => w.operation.traceparent),
  column<PlacedWrite>('records_total', 'integer', (w) => w.records.length),
  column<PlacedWrite>('calls_open', 'integer', (w) => w.calls.length),
  column<PlacedWrite>('is_keyed', 'boolean', (w) => w.idempotency !== undefined),
];
const callColumns = [
  column<Placed<NewCall>>('place', 'integer', (c) => c.place),
  column<Placed<NewCall>>('number', 'integer', (c) => c.row.number),
  column<Placed<NewCall>>('plan_kb', 'integer', (c) => c.row.planKb),
];
const recordColumns = [
  column<Placed<NewRecord>>('place', 'integer', (r) => r.place),
  column<Placed<NewRecord>>('record_index', 'integer', (r) => r.row.index),
  column<Placed<NewRecord>>('call_number', 'integer', (r) => r.row.callNumber),
  column<Placed<NewRecord>>('ref', 'text', (r) => r.row.ref),
  column<Placed<NewRecord>>('order_key', 'text', (r) => r.row.orderKey),
  column<Placed<NewRecord>>('headers_key', 'text', (r) => r.row.headersKey),
  column<Placed<NewRecord>>('plan', 'json', (r) => r.row.plan),
  column<Placed<NewRecord>>('retry_ms', 'bigint', (r) => r.row.retryMs),
];

/** How the rows stand in the text: seen by the planner, or not. */
type Sql = typeof rowsSql;

/** `current`: what may be stored. `fresh`: what is, each with its place in the accept order; without a key that is taken. */
const insertSql = (rowsOf: Sql, claimed: string, claimedIds: string): string => `
  with source as materialized (select s.* from ${rowsOf('s', sourceColumns)} where ${pinsAreCurrent('s')}),
  current as materialized (
    select o.ord as place, o.id, o.traceparent, o.records_total, o.calls_open, o.is_keyed,
           s.project_id, s.integration_id, s.installation_id, s.config_id, s.connection_id, s.lane_id, s.object_name, s.type,
           s.mode, s.all_or_none
    from ${rowsOf('o', operationColumns)} join source s on s.ord = o.source),
  claimed as (${claimed}),
  fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c
    where not c.is_keyed or c.id in (select operation_id from claimed) order by c.place),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', records_total, calls_open, traceparent from fresh
    on conflict (project_id, id) do nothing returning id),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, plan_kb)
    select f.project_id, f.id, c.number, f.lane_id, f.connection_id, f.object_name, f.type, f.mode, 'ready', f.all_or_none,
      f.traceparent, c.plan_kb from ${rowsOf('c', callColumns)} join fresh f on f.place = c.place
    on conflict do nothing),
  stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
      connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms)
    select f.project_id, f.id, r.record_index, r.call_number, r.ref, f.accept_seq, f.lane_id, f.connection_id,
      f.object_name, f.type, r.order_key, f.traceparent, f.config_id, r.headers_key, r.plan,
      now() + make_interval(secs => r.retry_ms / 1000.0 / ?::float8), r.retry_ms
    from ${rowsOf('r', recordColumns)} join fresh f on f.place = r.place
    on conflict do nothing)
  select now() as accepted_at, (select count(*)::integer from opened) as opened,
    array(select ord::integer from source) as sources, ${claimedIds} as claimed`;

const bareSql = (sql: Sql): string => insertSql(sql, 'select null::text as operation_id where false', `'{}'::text[]`);
const keyedSql = (sql: Sql): string =>
  insertSql(sql, claimSql('k.operation_id in (select id from current)'), 'array(select operation_id from claimed)');
/** The texts never change. `kept`: of one plan for any number of rows. */
const statements = {
  bare: { name: 'accept-writes', kept: bareSql(keptRowsSql), seen: bareSql(rowsSql) },
  keyed: { name: 'accept-keyed-writes', kept: keyedSql(keptRowsSql), seen: keyedSql(rowsSql) },
};

/** Inserts writes of any kind, with their keys. What is stored already stays as it is, so it may run twice with the same rows. */
export function acceptStatement(
  writes: readonly AcceptableWrite[],
  { sources, sourceOf }: WriteSources,
  timeScale: number,
): AcceptStatement {
  const placed = writes.map((write, at) => ({
    ...write,
    source: sourceOf[at] as number,
    calls: callsOf(write),
  }));
  const calls = placed.flatMap((write, at) => write.calls.map((row) => ({ place: at + 1, row })));
  const records = writes.flatMap((write, at) => write.records.map((row) => ({ place: at + 1, row })));
  const keyed = writes.flatMap(toKeyed);
  const { name, kept, seen } = keyed.length === 0 ? statements.bare : statements.keyed;
  const bindings = [
    ...rowBindings(sourceColumns, sources),
    ...rowBindings(operationColumns, placed),
    ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
    ...rowBindings(callColumns, calls),
    timeScale,
    ...rowBindings(recordColumns, records),
  ];
  return records.length <= keptRowsMax ? { name, sql: kept, bindings } : { sql: seen, bindings };
}

/** An asynchronous write's reply is known before its commit. */
function toKeyed({ operation, records, idempotency }: AcceptableWrite): KeyedOperation[] {
  if (idempotency === undefined) return [];
  const { projectId, id: operationId } = operation;
  const ref = records[0]?.ref;
  const reply = { kind: 'accepted', operationId, index: 0, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId, operationId, claim: idempotency, reply }];
}

function callsOf({ records }: AcceptableWrite): readonly NewCall[] {
  const byNumber = Map.groupBy(records, (record) => record.callNumber);
  return [...byNumber].map(([number, members]) => ({ number, planKb: kilobytes(bytesOfPlans(members)) }));
}
