import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import { beforeSending } from '../guard';
import { type Column, column, preparedRowsSql, rowBindings } from '../row-source';
import type { KeyClaim } from './idempotency-key';
import { enqueueSql, enqueuedColumns } from './order-queue';
import {
  type NewOperation,
  type NewRecord,
  bytesOfPlans,
  guardColumns,
  integrationAndKeyAreCurrent,
  scaledRetryMs,
  targetColumns,
} from './write-rows';

/** A record that joins the open auto-batch of its installation, object and type, or opens one. */
export interface BatchableWrite {
  /** Id that the gateway gave the record: the join answers by it. It is not stored. */
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
  readonly kind: 'joined';
  readonly operationId: string;
  readonly index: number;
  readonly acceptedAt: Date;
  /** When the batch leaves at the latest. A full batch leaves at once. */
  readonly dueAt: Date;
  readonly isFull: boolean;
}

/** The answer of a join. `stale`: a pin has changed; `key-taken`: the key belongs to another write; nothing was written. */
export type Joining = BatchMembership | { readonly kind: 'stale' } | { readonly kind: 'key-taken' };

/** Answers by record id. */
export type Joinings = Map<string, Joining>;

/** Records of one statement with one batch key and one source, 100 at most. */
export type JoiningGroup = readonly BatchableWrite[];

/** What one statement joins. Two groups never share a batch key. */
export interface JoinStatement {
  /** uuid v7. Its row is inserted with the records, so whoever does not know whether it was committed finds out (`findCommitted`). */
  readonly id: string;
  /** In the order of their keys. */
  readonly groups: readonly JoiningGroup[];
}

interface GroupRow extends NewOperation {
  readonly authority: number;
  readonly size: number;
  readonly delayMs: number;
  readonly planBytes: number;
}
interface RecordRow extends BatchableWrite {
  readonly source: number;
  readonly rank: number;
  readonly retryMs: number;
}

/** What is compared once per statement: the manifest in force, and the key that authorised the requests. */
const authorityColumns: readonly Column<NewOperation>[] = [
  column('project_id', 'text', (o) => o.projectId),
  column('integration_id', 'text', (o) => o.integrationId),
  ...guardColumns,
];
const groupColumns: readonly Column<GroupRow>[] = [
  ...targetColumns,
  column('authority', 'integer', (g) => g.authority),
  column('lane_id', 'text', (g) => g.laneId),
  column('object_name', 'text', (g) => g.objectName),
  column('type', 'text', (g) => g.type),
  column('operation_id', 'text', (g) => g.id),
  column('traceparent', 'text', (g) => g.traceparent),
  column('size', 'integer', (g) => g.size),
  column('delay_ms', 'float8', (g) => g.delayMs),
  column('plan_bytes', 'integer', (g) => g.planBytes),
];
const recordColumns = [
  column<RecordRow>('source', 'integer', (r) => r.source),
  column<RecordRow>('rank', 'integer', (r) => r.rank),
  column<RecordRow>('ref', 'text', (r) => r.record.ref),
  column<RecordRow>('order_key', 'text', (r) => r.record.orderKey),
  column<RecordRow>('traceparent', 'text', (r) => r.operation.traceparent),
  column<RecordRow>('headers_key', 'text', (r) => r.record.headersKey),
  column<RecordRow>('plan', 'json', (r) => r.record.plan),
  column<RecordRow>('retry_ms', 'bigint', (r) => r.retryMs),
];

const size = limits.autoBatchRecordsMax;
/** Of a key's row `b` and the group that joins it: it goes to the open batch as a whole, or fills it and opens the next one. */
const fits = `b.is_open and b.records + excluded.records <= ${size}`;
const overflows = `b.is_open and b.records + excluded.records > ${size}`;
/** Bytes of the part of an overflowing group that fills the batch: as if all its records were equally large. */
const filling = `(excluded.plan_bytes::bigint * (${size} - b.records) / excluded.records)::integer`;

/** Whether the manifest and the key of each authority are in force. */
const authoritySql = `
  select array_agg(${integrationAndKeyAreCurrent('a')} order by a.ord) as current from ${preparedRowsSql('a', authorityColumns)}`;

/** Locks each installation that is as it was planned for. If it is deleted before, nothing joins; if after, its deletion finds the batch. */
const lockedSql = `
  select s.*, now() + make_interval(secs => s.delay_ms / 1000 / ?::float8) as due_at from ${preparedRowsSql('s', groupColumns)}
  join installations n on n.project_id = s.project_id and n.id = s.installation_id
    and n.config_id = s.config_id and n.connection_id = s.connection_id
  where (select current from authority)[s.authority] for key share of n`;

/**
 * Locks the row of each key, in the order of the keys, so two statements never wait for each other. The row decides where the group goes: to the batch
 * that is open; to the one that its first record opens; or to both, when it fills the one.
 */
const assignedSql = `
  insert into open_batches as b (project_id, installation_id, object_name, type, operation_id, connection_id, records,
    plan_bytes, due_at, is_open, joined_as, joined_records)
  select project_id, installation_id, object_name, type, operation_id, connection_id, size, plan_bytes, due_at, size < ${size}, ord, size
  from locked order by ord
  on conflict (project_id, installation_id, object_name, type) do update set
    operation_id = case when ${fits} then b.operation_id else excluded.operation_id end,
    connection_id = case when ${fits} then b.connection_id else excluded.connection_id end,
    due_at = case when ${fits} then b.due_at else excluded.due_at end,
    records = excluded.records + case when ${fits} then b.records when ${overflows} then b.records - ${size} else 0 end,
    plan_bytes = excluded.plan_bytes + case when ${fits} then b.plan_bytes when ${overflows} then -${filling} else 0 end,
    is_open = case when ${fits} then b.records + excluded.records < ${size} else ${overflows} or excluded.is_open end,
    previous_id = case when ${overflows} then b.operation_id end,
    previous_bytes = case when ${overflows} then b.plan_bytes + ${filling} end,
    joined_as = excluded.joined_as, joined_records = excluded.joined_records
  returning joined_as as ord, project_id, connection_id, operation_id, records, plan_bytes, is_open, due_at, previous_id, previous_bytes,
    coalesce(previous_id, operation_id) as first_id,
    case when previous_id is null then joined_records else joined_records - records end as taken,
    case when previous_id is null then records - joined_records else ${size} - joined_records + records end as first,
    records <= joined_records as is_new`;

/**
 * Each group with its batches. The join is full, which Postgres never does by reading all of one side for each row of the other. A planner that
 * expects one group would do that, and a hundred groups would cost ten thousand reads. A record says its connection where it may not be that of
 * its operation.
 */
const placedSql = `
  select l.project_id, l.integration_id, l.installation_id, l.config_id, l.connection_id, l.lane_id, l.object_name, l.type, l.traceparent,
    case when l.connection_id <> a.connection_id or a.previous_id is not null then l.connection_id end as own_connection_id,
    a.ord, a.operation_id, a.first_id, a.first, a.taken, a.is_new, a.due_at
  from locked l full join assigned a on a.ord = l.ord where coalesce(a.ord, 0) > 0`;

const openedSql = `
  insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
    state, due_at, traceparent)
  select project_id, operation_id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type,
    'auto-batched', 'accumulating', due_at, traceparent from placed where is_new`;

/** What was filled here; the other ways to close a batch are in `close-batch.ts`. */
const closedSql = `
  insert into closed_batches (project_id, operation_id, connection_id, records, plan_bytes)
  select project_id, operation_id, connection_id, records, plan_bytes from assigned where not is_open
  union all select project_id, previous_id, connection_id, ${size}, previous_bytes from assigned where previous_id is not null`;

const insertedSql = `
  insert into records (accept_seq, project_id, operation_id, record_index, ref, connection_id, order_key, traceparent, config_id,
    headers_key, plan, retry_ms, accepted_at)
  select nextval('accept_seq'), p.project_id, case when r.rank < p.taken then p.first_id else p.operation_id end,
    case when r.rank < p.taken then p.first + r.rank else r.rank - p.taken end, r.ref, p.own_connection_id,
    r.order_key, r.traceparent, p.config_id, r.headers_key, r.plan, r.retry_ms, now()
  from ${preparedRowsSql('r', recordColumns)} join placed p on p.ord = r.source order by r.ord
  returning ${enqueuedColumns}`;

const answersSql = `
  select ord, project_id, first_id, first, taken, operation_id, is_open, date_part('epoch', due_at) * 1000 as due_ms from assigned`;

/** The answers, for whoever loses the reply (`findCommitted`). */
const keptSql = `
  insert into flushes (project_id, id, answers)
  select project_id, ?, json_agg(json_build_array(ord, first_id, first, taken, nullif(operation_id, first_id), is_open, due_ms))::text
  from answers group by project_id`;

/** Every group has its answer after one statement, and each row is found by its key, however this statement is planned. */
const joinSql = `
  with authority as materialized (${authoritySql}), locked as materialized (${lockedSql}), assigned as (${assignedSql}),
  placed as materialized (${placedSql}), opened as (${openedSql}), closed as (${closedSql}), inserted as (${insertedSql}),
  queued as (${enqueueSql('inserted')}), answers as (${answersSql}), kept as (${keptSql})
  select ord, first_id, first, taken, operation_id, is_open, due_ms, date_part('epoch', now()) * 1000 as accepted_ms from answers`;

/** Where a group went: its first `taken` records to one batch, as members from `first` on, the others to the next one. */
interface Row {
  readonly ord: number;
  readonly first_id: string;
  readonly first: number;
  readonly taken: number;
  readonly operation_id: string;
  readonly is_open: boolean;
  readonly due_ms: number;
  readonly accepted_ms: number;
}

/**
 * Puts each group into the open batch of its key, and what does not fit into a new one, in one statement.
 * @returns the answer of each record
 */
export async function joinGroups(database: Knex, { id, groups }: JoinStatement, timeScale: number): Promise<Joinings> {
  const bindings = beforeSending(() => [...toBindings(groups, timeScale), id]);
  const result = await database
    .raw<{ rows: Row[] }>(joinSql, bindings as Knex.Value[])
    // Its text never changes, so it is prepared (`renewPlans`).
    .options({ name: 'join-batches' });
  return toJoinings(groups, result.rows);
}

function toBindings(groups: readonly JoiningGroup[], timeScale: number): unknown[] {
  const rows = groups.flatMap((writes, at) =>
    writes.map((write, rank): RecordRow => {
      return { ...write, source: at + 1, rank, retryMs: scaledRetryMs(write.record, timeScale) };
    }),
  );
  const { authorities, groupRows } = toGroupRows(groups);
  return [
    ...rowBindings(authorityColumns, authorities),
    timeScale,
    ...rowBindings(groupColumns, groupRows),
    ...rowBindings(recordColumns, rows),
  ];
}

/**
 * Finds out what became of a statement whose answer was lost. Its row is inserted without answers: if that succeeds, it was not committed
 * and never will be, because its own insert of that row fails. Where it runs at this moment, this waits for its end.
 * @returns its answers; undefined when it was not committed
 */
export async function findCommitted(database: Knex, { id, groups }: JoinStatement): Promise<Joinings | undefined> {
  const projectIds = [...new Set(groups.flatMap(([first]) => first?.operation.projectId ?? []))].toSorted();
  await database.raw(
    `insert into flushes (project_id, id) select project_id, ? from unnest(?::text[]) as project_id on conflict do nothing`,
    [id, projectIds] as unknown as Knex.Value[],
  );
  const { rows } = await database.raw<{ rows: StoredAnswers[] }>(
    `select answers, date_part('epoch', created_at) * 1000 as accepted_ms from flushes
     where project_id = any(?::text[]) and id = ? and answers is not null`,
    [projectIds, id] as unknown as Knex.Value[],
  );
  return rows.length === 0 ? undefined : toJoinings(groups, rows.flatMap(toRows));
}

interface StoredAnswers {
  readonly answers: string;
  readonly accepted_ms: number;
}

function toRows({ answers, accepted_ms }: StoredAnswers): Row[] {
  type Stored = [number, string, number, number, string | null, boolean, number];
  return (JSON.parse(answers) as Stored[]).map(([ord, first_id, first, taken, next_id, is_open, due_ms]) => {
    const operation_id = next_id ?? first_id;
    return { ord, first_id, first, taken, operation_id, is_open, due_ms, accepted_ms };
  });
}

function toGroupRows(groups: readonly JoiningGroup[]): { authorities: NewOperation[]; groupRows: GroupRow[] } {
  const authorities: NewOperation[] = [];
  const known = new Map<string, number>();
  const groupRows = groups.map((writes): GroupRow => {
    const { operation, maxDelayMs } = writes[0] as BatchableWrite;
    const { projectId, integrationId, pins } = operation;
    const name = `${projectId}\n${integrationId}\n${pins.revisionId}\n${pins.keyId}`;
    const authority = known.get(name) ?? authorities.push(operation);
    known.set(name, authority);
    const planBytes = bytesOfPlans(writes.map(({ record }) => record));
    return { ...operation, authority, size: writes.length, delayMs: maxDelayMs, planBytes };
  });
  return { authorities, groupRows };
}

function toJoinings(groups: readonly JoiningGroup[], rows: readonly Row[]): Joinings {
  const joinings: Joinings = new Map(groups.flat().map(({ recordId }) => [recordId, { kind: 'stale' }]));
  for (const { ord, first_id, first, taken, operation_id, is_open, due_ms, accepted_ms } of rows) {
    const writes = groups[ord - 1] as JoiningGroup;
    const [acceptedAt, dueAt] = [new Date(accepted_ms), new Date(due_ms)];
    for (const [rank, { recordId }] of writes.entries()) {
      const isInFirst = rank < taken;
      const isFull = isInFirst && (taken < writes.length || !is_open);
      const member = isInFirst
        ? { operationId: first_id, index: first + rank }
        : { operationId: operation_id, index: rank - taken };
      joinings.set(recordId, { kind: 'joined', ...member, acceptedAt, dueAt: isFull ? acceptedAt : dueAt, isFull });
    }
  }
  return joinings;
}
