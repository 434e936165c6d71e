import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { bytesOfPlans, type NewOperation, type NewRecord } from './write-rows';
import { integrationAndKeyAreCurrent, sourceColumns } from './write-source';
import type { KeyClaim } from './idempotency-key';

/** A record that joins the open auto-batch of its installation, object and type, or opens one. */
export interface BatchableWrite {
  /** Id that the gateway gave the record: a repeated join finds it by this id. */
  readonly recordId: string;
  /** What a new batch would be made from; its id is used only if this record opens one. */
  readonly operation: NewOperation;
  readonly record: Omit<NewRecord, 'index' | 'callNumber'>;
  /** Delay of the batch if this record opens it, in unscaled milliseconds. */
  readonly maxDelayMs: number;
  /** Claimed in the transaction that joins. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/** Records of one statement that go to one batch: of one key and one source, 100 at most. */
export interface JoiningGroup {
  readonly writes: readonly BatchableWrite[];
}

/** The outcome of a group. Its first `taken` records are members, with indexes from `first`. */
export interface JoinedGroup {
  readonly operationId: string;
  readonly first: number;
  readonly taken: number;
  readonly dueAt: Date;
  readonly isFull: boolean;
  readonly acceptedAt: Date;
}

interface GroupRow extends NewOperation {
  readonly size: number;
  readonly delayMs: number;
  readonly planBytes: number;
}
interface RecordRow extends BatchableWrite {
  readonly source: number;
  readonly rank: number;
}

const groupColumns = [
  ...sourceColumns,
  column<GroupRow>('operation_id', 'text', (g) => g.id),
  column<GroupRow>('traceparent', 'text', (g) => g.traceparent),
  column<GroupRow>('size', 'integer', (g) => g.size),
  column<GroupRow>('delay_ms', 'float8', (g) => g.delayMs),
  column<GroupRow>('plan_bytes', 'integer', (g) => g.planBytes),
];
const recordColumns = [
  column<RecordRow>('source', 'integer', (r) => r.source),
  column<RecordRow>('rank', 'integer', (r) => r.rank),
  column<RecordRow>('record_id', 'text', (r) => r.recordId),
  column<RecordRow>('ref', 'text', (r) => r.record.ref),
  column<RecordRow>('order_key', 'text', (r) => r.record.orderKey),
  column<RecordRow>('traceparent', 'text', (r) => r.operation.traceparent),
  column<RecordRow>('headers_key', 'text', (r) => r.record.headersKey),
  column<RecordRow>('plan', 'json', (r) => r.record.plan),
  column<RecordRow>('retry_ms', 'bigint', (r) => r.record.retryMs),
];

const size = limits.autoBatchRecordsMax;
/** The predicate of the index `operations_open_batch`. */
const isOpen = `state = 'accumulating' and not is_full and cancel_requested_at is null`;

/** What the records of a group take from it. */
const grouped = (alias: string): string =>
  ['ord', 'project_id', 'lane_id', 'connection_id', 'object_name', 'type', 'config_id']
    .map((name) => `${alias}.${name}`)
    .join(', ');

/**
 * `source` locks each installation: if it is deleted before, nothing joins; if after, its deletion finds the batch.
 * `held` locks open batches in the order of their keys, then `opened` inserts the missing ones in that order: so two
 * statements never wait for each other. Each open batch is looked up by its key (a sub-select with a lock cannot be flattened): a join would
 * read all open batches for each group, wherever its plan is older than they are. Where another statement has just opened the batch, nothing joins.
 * `retry_until` stays empty: the retry time of an auto-batched record starts at the seal.
 * Each step passes on what the next one needs of a group, and tests a set only for membership (`… is true` makes that a hash
 * lookup): a planner that expects one group would find each by reading all, and a hundred groups would cost ten thousand reads.
 */
const joinSql = `
  with source as materialized (
    select s.*, now() + make_interval(secs => s.delay_ms / 1000 / ?::float8) as due_at from ${keptRowsSql('s', groupColumns)}
    join installations n on n.project_id = s.project_id and n.id = s.installation_id
      and n.config_id = s.config_id and n.connection_id = s.connection_id
    where ${integrationAndKeyAreCurrent('s')} for key share of n),
  held as materialized (
    select ${grouped('s')}, o.id, o.records_total as first, least(s.size, ${size} - o.records_total) as taken, o.due_at,
      s.plan_bytes::bigint * least(s.size, ${size} - o.records_total) / s.size as plan_bytes
    from (select * from source order by ord) s cross join lateral (
      select id, records_total, due_at from operations where project_id = s.project_id and installation_id = s.installation_id
        and object_name = s.object_name and type = s.type and ${isOpen} limit 1 for no key update) o),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, due_at, records_total, plan_bytes, is_full, traceparent)
    select project_id, operation_id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
      mode, 'accumulating', due_at, size, plan_bytes, size >= ${size}, traceparent
    from source where ord not in (select ord from held) order by ord
    on conflict (project_id, installation_id, object_name, type) where ${isOpen} do nothing
    returning id),
  placed as materialized (
    select h.*, false as is_new from held h
    union all select ${grouped('s')}, s.operation_id, 0, s.size, s.due_at, s.plan_bytes, true from source s
    where (s.operation_id in (select id from opened)) is true),
  grown as (update operations o set records_total = p.first + p.taken, plan_bytes = o.plan_bytes + p.plan_bytes, is_full = p.first + p.taken >= ${size}, updated_at = now()
    from placed p where not p.is_new and o.project_id = p.project_id and o.id = p.id),
  stored as (insert into records (accept_seq, project_id, operation_id, record_index, record_id, ref, lane_id, connection_id,
      object_name, type, order_key, traceparent, config_id, headers_key, plan, retry_ms)
    select nextval('accept_seq'), p.project_id, p.id, p.first + r.rank, r.record_id, r.ref, p.lane_id, p.connection_id,
      p.object_name, p.type, r.order_key, r.traceparent, p.config_id, r.headers_key, r.plan, r.retry_ms
    from ${keptRowsSql('r', recordColumns)} join placed p on p.ord = r.source
    where r.rank < p.taken order by r.ord)
  select ord::integer as group_at, id, first, taken, due_at, first + taken >= ${size} as is_full, now() as accepted_at from placed
  union all select s.ord::integer, null, null, null, null, null, now() from source s
  where (s.ord in (select ord from placed)) is not true`;

interface Row {
  readonly group_at: number;
  readonly id: string | null;
  readonly first: number;
  readonly taken: number;
  readonly due_at: Date;
  readonly is_full: boolean;
  readonly accepted_at: Date;
}

/**
 * Puts each group into the open batch of its key, or into a new one, in one statement. Two groups never share a key.
 * @param groups in the order of their keys
 * @returns a member per group: `stale` when a pin has changed, undefined when another statement opened the batch meanwhile
 */
export async function joinGroups(
  database: Knex,
  groups: readonly JoiningGroup[],
  timeScale: number,
): Promise<readonly (JoinedGroup | 'stale' | undefined)[]> {
  const rows = groups.flatMap(({ writes }, at) =>
    writes.map((write, rank): RecordRow => ({ ...write, source: at + 1, rank })),
  );
  const bindings = [
    timeScale,
    ...rowBindings(groupColumns, groups.map(toGroupRow)),
    ...rowBindings(recordColumns, rows),
  ];
  const result = await database
    .raw<{ rows: Row[] }>(joinSql, bindings as Knex.Value[])
    // Its text never changes, so it is prepared (`renewPlans`).
    .options({ name: 'join-batches' });
  const joined: (JoinedGroup | 'stale' | undefined)[] = groups.map(() => 'stale');
  for (const row of result.rows) joined[row.group_at - 1] = toJoined(row);
  return joined;
}

function toGroupRow({ writes }: JoiningGroup): GroupRow {
  const { operation, maxDelayMs } = writes[0] as BatchableWrite;
  const planBytes = bytesOfPlans(writes.map(({ record }) => record));
  return { ...operation, size: writes.length, delayMs: maxDelayMs, planBytes };
}

function toJoined(row: Row): JoinedGroup | undefined {
  if (row.id === null) return undefined;
  const { id: operationId, first, taken, due_at: dueAt, is_full: isFull, accepted_at: acceptedAt } = row;
  return { operationId, first, taken, dueAt, isFull, acceptedAt };
}
