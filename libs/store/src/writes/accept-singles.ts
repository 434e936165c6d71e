import type { AcceptableWrite } from './accept-writes';
import type { AcceptStatement } from './accept-statement';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { bytesOfPlans, kilobytes, type NewRecord } from './write-rows';
import { pinColumns, pinsAreCurrent, rowColumns, type WriteSources } from './write-source';

/**
 * The first try of writes of one record each, which is what most flushes are: one row of the statement is an operation, a call and
 * a record, so nothing is joined. An id that is stored already is refused by its primary key, and the repetition, `acceptStatement`,
 * takes it: an insert that is ready for a conflict looks twice and logs more.
 */

interface Single extends AcceptableWrite {
  readonly record: NewRecord;
  readonly source: number;
}

const singleColumns = [
  ...rowColumns.map(({ name, type, value }) => column<Single>(name, type, (w) => value(w.operation))),
  column<Single>('id', 'text', (w) => w.operation.id),
  column<Single>('source', 'integer', (w) => w.source),
  column<Single>('traceparent', 'text', (w) => w.operation.traceparent),
  column<Single>('ref', 'text', (w) => w.record.ref),
  column<Single>('order_key', 'text', (w) => w.record.orderKey),
  column<Single>('headers_key', 'text', (w) => w.record.headersKey),
  column<Single>('plan', 'json', (w) => w.record.plan),
  column<Single>('plan_kb', 'integer', (w) => kilobytes(bytesOfPlans(w.records))),
  column<Single>('retry_ms', 'bigint', (w) => w.record.retryMs),
];

/** `checked`: of each source whether its pins are current, by its place. An array, because finding a place in it costs the same in any. */
const sql = `
  with checked as materialized (
    select array_agg(coalesce(${pinsAreCurrent('s')}, false) order by s.ord) as are_current from ${keptRowsSql('s', pinColumns)}),
  fresh as materialized (select w.*, nextval('accept_seq') as accept_seq from ${keptRowsSql('w', singleColumns)}
    where (select are_current from checked)[w.source] order by w.ord),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', 1, 1, traceparent from fresh),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, plan_kb)
    select project_id, id, 1, lane_id, connection_id, object_name, type, mode, 'ready', all_or_none, traceparent, plan_kb from fresh),
  stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
      connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms)
    select project_id, id, 0, 1, ref, accept_seq, lane_id, connection_id, object_name, type, order_key, traceparent,
      config_id, headers_key, plan, now() + make_interval(secs => retry_ms / 1000.0 / ?::float8), retry_ms from fresh)
  select now() as accepted_at, (select count(*)::integer from fresh) as opened, '{}'::text[] as claimed,
    array(select c.ord::integer from checked, unnest(are_current) with ordinality as c(is_current, ord) where c.is_current) as sources`;

/** Whether each is one record in one call, without an idempotency key. */
export function areSingles(writes: readonly AcceptableWrite[]): boolean {
  return writes.every(({ records: [record, more], idempotency }) => {
    const isAlone = more === undefined && record?.index === 0 && record.callNumber === 1;
    return isAlone && idempotency === undefined;
  });
}

/** @param writes for which `areSingles` holds */
export function acceptSingles(
  writes: readonly AcceptableWrite[],
  { sources, sourceOf }: WriteSources,
  timeScale: number,
): AcceptStatement {
  const rows = writes.map((write, at): Single => ({
    ...write,
    record: write.records[0] as NewRecord,
    source: sourceOf[at] as number,
  }));
  const bindings = [...rowBindings(pinColumns, sources), ...rowBindings(singleColumns, rows), timeScale];
  return { name: 'accept-singles', sql, bindings };
}
