import type { Knex } from 'knex';
import { claimBindings, claimSql, type KeyClaim, type KeyedOperation } from './idempotency-key';
import { column, rowBindings, rowsSql } from './row-source';
import type { NewOperation, NewRecord } from './write-rows';
import { groupBySource, pinsAreCurrent, sourceColumns, type WriteSources } from './write-source';

/** A single or batch asynchronous write: one operation, one or more calls, its records. */
export interface AcceptableWrite {
  readonly operation: NewOperation;
  readonly records: readonly NewRecord[];
  /** Claimed together with the acceptance. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/**
 * When it was accepted, from the database's clock. `stale` when a pin has changed, `key-taken` when its idempotency key
 * belongs to another write: nothing was written.
 */
export type Acceptance = { readonly acceptedAt: Date } | 'stale' | 'key-taken';

interface PlacedWrite extends AcceptableWrite {
  readonly source: number;
  readonly callNumbers: readonly number[];
}

/** A call or a record with the place of its write in the flush, from 1. */
type Placed<Row> = { readonly place: number; readonly row: Row };

const operationColumns = [
  column<PlacedWrite>('id', 'text', (w) => w.operation.id),
  column<PlacedWrite>('source', 'integer', (w) => w.source),
  column<PlacedWrite>('traceparent', 'text', (w) => w.operation.traceparent),
  column<PlacedWrite>('records_total', 'integer', (w) => w.records.length),
  column<PlacedWrite>('calls_open', 'integer', (w) => w.callNumbers.length),
  column<PlacedWrite>('is_keyed', 'boolean', (w) => w.idempotency !== undefined),
];
const callColumns = [
  column<Placed<number>>('place', 'integer', (c) => c.place),
  column<Placed<number>>('number', 'integer', (c) => c.row),
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

/** `current`: what may be stored. `fresh`: what is, each with its place in the accept order; without a key that is taken. */
const insertSql = (claimed: string, claimedIds: string): string => `
  with source as materialized (select s.* from ${rowsSql('s', sourceColumns)} where ${pinsAreCurrent('s')}),
  current as materialized (
    select o.ord as place, o.id, o.traceparent, o.records_total, o.calls_open, o.is_keyed,
           s.project_id, s.integration_id, s.installation_id, s.config_id, s.connection_id, s.lane_id, s.object_name, s.type,
           s.mode, s.all_or_none
    from ${rowsSql('o', operationColumns)} join source s on s.ord = o.source),
  claimed as (${claimed}),
  fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c
    where not c.is_keyed or c.id in (select operation_id from claimed) order by c.place),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', records_total, calls_open, traceparent from fresh
    on conflict (project_id, id) do nothing returning id),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent)
    select f.project_id, f.id, c.number, f.lane_id, f.connection_id, f.object_name, f.type, f.mode, 'ready', f.all_or_none,
      f.traceparent from ${rowsSql('c', callColumns)} join fresh f on f.place = c.place
    on conflict do nothing),
  stored as (insert into records (project_id, operation_id, record_index, call_number, ref, accept_seq, lane_id,
      connection_id, object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_until, retry_ms)
    select f.project_id, f.id, r.record_index, r.call_number, r.ref, f.accept_seq, f.lane_id, f.connection_id,
      f.object_name, f.type, r.order_key, f.traceparent, f.config_id, r.headers_key, r.plan,
      now() + make_interval(secs => r.retry_ms / 1000.0 / ?::float8), r.retry_ms
    from ${rowsSql('r', recordColumns)} join fresh f on f.place = r.place
    on conflict do nothing)
  select now() as accepted_at, (select count(*)::integer from opened) as opened,
    array(select ord::integer from source) as sources, ${claimedIds} as claimed`;

const noClaim = 'select null::text as operation_id where false';
/** Their texts never change, so the server plans them once per connection. */
const statements = {
  bare: { name: 'accept-writes', sql: insertSql(noClaim, `'{}'::text[]`) },
  keyed: {
    name: 'accept-keyed-writes',
    sql: insertSql(claimSql('k.operation_id in (select id from current)'), 'array(select operation_id from claimed)'),
  },
};
/** Above this the planner should see how many records there are, because its guess for a plan that it keeps is ten. */
const keptPlanRecordsMax = 256;

interface Inserted {
  readonly accepted_at: Date;
  readonly opened: number;
  readonly sources: readonly number[];
  readonly claimed: readonly string[];
}

/**
 * Accepts many writes in one statement: one committed transaction is the promise.
 * Running it twice with the same rows stores them once, so it is also the answer to a COMMIT of unknown outcome.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  timeScale: number,
): Promise<Map<string, Acceptance>> {
  const grouped = groupBySource(writes.map((write) => write.operation));
  const inserted = await insert(database, writes, grouped, timeScale);
  const acceptance = { acceptedAt: inserted.accepted_at };
  if (inserted.opened === writes.length) return new Map(writes.map(({ operation }) => [operation.id, acceptance]));
  const stored = await findStored(database, writes);
  const isCurrent = new Set(inserted.sources);
  const isClaimed = new Set(inserted.claimed);
  const decide = ({ operation: { id }, idempotency }: AcceptableWrite, at: number): Acceptance => {
    const createdAt = stored.get(id);
    if (createdAt !== undefined) return { acceptedAt: createdAt };
    if (!isCurrent.has(grouped.sourceOf[at] as number)) return 'stale';
    if (idempotency !== undefined && !isClaimed.has(id)) return 'key-taken';
    throw new Error('an accept of unknown outcome is still under way');
  };
  return new Map(writes.map((write, at) => [write.operation.id, decide(write, at)]));
}

async function insert(
  database: Knex,
  writes: readonly AcceptableWrite[],
  { sources, sourceOf }: WriteSources,
  timeScale: number,
): Promise<Inserted> {
  const placed = writes.map((write, at) => ({
    ...write,
    source: sourceOf[at] as number,
    callNumbers: numbersOf(write),
  }));
  const calls = placed.flatMap(({ callNumbers }, at) => callNumbers.map((row) => ({ place: at + 1, row })));
  const records = writes.flatMap((write, at) => write.records.map((row) => ({ place: at + 1, row })));
  const keyed = writes.flatMap(toKeyed);
  const { name, sql } = keyed.length === 0 ? statements.bare : statements.keyed;
  const bindings = [
    ...rowBindings(sourceColumns, sources),
    ...rowBindings(operationColumns, placed),
    ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
    ...rowBindings(callColumns, calls),
    timeScale,
    ...rowBindings(recordColumns, records),
  ];
  const options = records.length <= keptPlanRecordsMax ? { name } : {};
  const result = await database.raw<{ rows: Inserted[] }>(sql, bindings as Knex.Value[]).options(options);
  return result.rows[0] as Inserted;
}

/** What an earlier try committed, with its time. A statement of its own, because it must see what the insert waited for. */
async function findStored(database: Knex, writes: readonly AcceptableWrite[]): Promise<Map<string, Date>> {
  const keys = [
    column<AcceptableWrite>('project_id', 'text', (w) => w.operation.projectId),
    column<AcceptableWrite>('id', 'text', (w) => w.operation.id),
  ];
  const result = await database.raw<{ rows: { id: string; created_at: Date }[] }>(
    `select o.id, o.created_at from ${rowsSql('i', keys)} join operations o on o.project_id = i.project_id and o.id = i.id`,
    rowBindings(keys, writes) as Knex.Value[],
  );
  return new Map(result.rows.map((row) => [row.id, row.created_at]));
}

/** An asynchronous write's reply is known before its commit. */
function toKeyed({ operation, records, idempotency }: AcceptableWrite): KeyedOperation[] {
  if (idempotency === undefined) return [];
  const { projectId, id: operationId } = operation;
  const ref = records[0]?.ref;
  const reply = { kind: 'accepted', operationId, index: 0, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId, operationId, claim: idempotency, reply }];
}

function numbersOf({ records }: AcceptableWrite): readonly number[] {
  return [...new Set(records.map((record) => record.callNumber))];
}
