import type { SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { persist } from '../guard';
import { column, preparedRowsMax, preparedRowsSql, rowBindings, rowsSql } from '../row-source';
import { type KeyClaim, type KeyedOperation, claimBindings, claimSql } from './idempotency-key';
import { enqueueSql, enqueuedColumns } from './order-queue';
import {
  type NewOperation,
  type NewRecord,
  type WriteSources,
  bytesOfPlans,
  groupBySource,
  kilobytes,
  membersText,
  pinColumns,
  pinsAreCurrent,
  rowColumns,
  scaledRetryMs,
  sourceColumns,
} from './write-rows';

/** A single or batch asynchronous write: one operation, one or more calls, its records. */
export interface AcceptableWrite {
  readonly operation: NewOperation;
  readonly records: readonly NewRecord[];
  /** Claimed together with the acceptance. Two writes of one call never share a key. */
  readonly idempotency?: KeyClaim;
}

/**
 * `accepted`: when, from the database's clock. `stale`: a pin has changed; `key-taken`: its idempotency key belongs to another write; nothing
 * was written.
 */
export type Acceptance =
  | { readonly kind: 'accepted'; readonly acceptedAt: Date }
  | { readonly kind: 'stale' }
  | { readonly kind: 'key-taken' };

interface Inserted {
  readonly accepted_at: Date;
  readonly opened: number;
  readonly sources: readonly number[];
  readonly claimed: readonly string[];
}

export interface AcceptOptions {
  readonly timeScale: number;
  /** An earlier try of the same writes may have been committed. */
  readonly isRepeated: boolean;
  /** Answers of earlier tries, which stay valid; filled as soon as they are known, so that a later failure does not lose them. @default none */
  readonly answers?: Map<string, Acceptance>;
}

/** The outcome of one write of a flush, or why it has none while others of the same flush have theirs. */
export type AcceptAnswer = Acceptance | SluiceError;

/**
 * Accepts, and repeats for up to 5 s (`persist`). What was stored is accepted, whatever fails the lookup of the others: a caller
 * that repeated it would have it stored twice.
 * @throws SluiceError when no write has an answer
 */
export async function acceptPersistently(
  database: Knex,
  writes: readonly AcceptableWrite[],
  timeScale: number,
): Promise<Map<string, AcceptAnswer>> {
  const answers = new Map<string, Acceptance>();
  try {
    return await persist((isRepeated) => insertAccepted(database, writes, { timeScale, isRepeated, answers }));
  } catch (failed) {
    if (answers.size === 0) throw failed;
    return new Map(writes.map(({ operation: { id } }) => [id, answers.get(id) ?? (failed as SluiceError)]));
  }
}

/**
 * Accepts many writes in one statement: one committed transaction is the promise.
 * Running it twice with the same rows stores them once, so it is also the answer to a COMMIT of unknown outcome.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  { timeScale, isRepeated, answers = new Map() }: AcceptOptions,
): Promise<Map<string, Acceptance>> {
  const isUnanswered = ({ operation }: AcceptableWrite): boolean => !answers.has(operation.id);
  const open = writes.filter(isUnanswered);
  const grouped = groupBySource(open.map((write) => write.operation));
  const build = !isRepeated && areSingles(open) ? acceptSingles : acceptStatement;
  const { name, sql, bindings } = build(open, grouped, timeScale);
  const result = await database
    .raw<{ rows: [Inserted] }>(sql, bindings as Knex.Value[])
    .options(name === undefined ? {} : { name });
  const [inserted] = result.rows;
  const [isCurrent, isClaimed] = [new Set(inserted.sources), new Set(inserted.claimed)];
  const refusals = new Map<string, Acceptance>();
  for (const [at, { operation, idempotency }] of open.entries()) {
    if (!isCurrent.has(grouped.sourceOf[at] as number)) refusals.set(operation.id, { kind: 'stale' });
    else if (idempotency !== undefined && !isClaimed.has(operation.id))
      refusals.set(operation.id, { kind: 'key-taken' });
  }
  const stored = open.filter(({ operation }) => !refusals.has(operation.id));
  // As many as there were to store: this statement has stored each of them.
  if (inserted.opened === stored.length) {
    for (const { operation } of stored)
      answers.set(operation.id, { kind: 'accepted', acceptedAt: inserted.accepted_at });
  }
  const left = open.filter(isUnanswered);
  if (left.length > 0) await answerLeft(database, left, { refusals, answers });
  return answers;
}

/**
 * What an earlier try has stored is accepted, whatever this one would refuse. What is neither refused nor stored now was stored by an earlier
 * try: when that cannot be read, no answer may claim that nothing was written.
 */
async function answerLeft(
  database: Knex,
  left: readonly AcceptableWrite[],
  { refusals, answers }: Record<'refusals' | 'answers', Map<string, Acceptance>>,
): Promise<void> {
  const isAnyStored = left.some(({ operation }) => !refusals.has(operation.id));
  const known = await findStored(database, left).catch((cause: unknown) => {
    throw isAnyStored ? new Error('an accept was stored and cannot be read', { cause }) : cause;
  });
  for (const { operation } of left) {
    const createdAt = known.get(operation.id);
    const answer =
      createdAt === undefined ? refusals.get(operation.id) : ({ kind: 'accepted', acceptedAt: createdAt } as const);
    if (answer === undefined) throw new Error('an accept of unknown outcome is still under way');
    answers.set(operation.id, answer);
  }
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

/**
 * The first try of writes of one record each, which is what most flushes are: one row of the statement is an operation, a call and a record, so
 * nothing is joined. The primary key refuses an id that is stored already, and the repetition, `acceptStatement`, takes it. An insert with a conflict
 * clause would read the index twice and log more.
 */

interface Single extends AcceptableWrite {
  readonly record: NewRecord;
  readonly source: number;
  readonly retryMs: number;
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
  column<Single>('retry_ms', 'bigint', (w) => w.retryMs),
];

/** `checked`: of each source whether its pins are current, by its position. An array, because every lookup in it costs the same. */
const singlesSql = `
  with checked as materialized (
    select array_agg(coalesce(${pinsAreCurrent('s')}, false) order by s.ord) as are_current from ${preparedRowsSql('s', pinColumns)}),
  fresh as materialized (select w.*, nextval('accept_seq') as accept_seq from ${preparedRowsSql('w', singleColumns)}
    where (select are_current from checked)[w.source] order by w.ord),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', 1, 1, traceparent from fresh),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, plan_kb, deadline)
    select project_id, id, 1, lane_id, connection_id, object_name, type, mode, 'ready', all_or_none, traceparent, plan_kb,
      now() + make_interval(secs => retry_ms / 1000.0) from fresh),
  stored as (insert into records (project_id, operation_id, record_index, ref, accept_seq, order_key, traceparent, config_id,
      headers_key, plan, retry_ms)
    select project_id, id, 0, ref, accept_seq, order_key, traceparent, config_id, headers_key, plan, retry_ms from fresh
    returning ${enqueuedColumns}),
  queued as (${enqueueSql('stored')})
  select now() as accepted_at, (select count(*)::integer from fresh) as opened, '{}'::text[] as claimed,
    array(select c.ord::integer from checked, unnest(are_current) with ordinality as c(is_current, ord) where c.is_current) as sources`;

/** Whether each is one record in one call, without an idempotency key. */
function areSingles(writes: readonly AcceptableWrite[]): boolean {
  return writes.every(({ records: [record, more], idempotency }) => {
    const isAlone = more === undefined && record?.index === 0 && record.callNumber === 1;
    return isAlone && idempotency === undefined;
  });
}

/** @param writes for which `areSingles` holds */
function acceptSingles(
  writes: readonly AcceptableWrite[],
  { sources, sourceOf }: WriteSources,
  timeScale: number,
): AcceptStatement {
  const rows = writes.map((write, at): Single => ({
    ...write,
    record: write.records[0] as NewRecord,
    source: sourceOf[at] as number,
    retryMs: scaledRetryMs(write.records[0] as NewRecord, timeScale),
  }));
  const bindings = [...rowBindings(pinColumns, sources), ...rowBindings(singleColumns, rows)];
  return { name: 'accept-singles', sql: singlesSql, bindings };
}

/** What accepts a flush. Its text never changes, so it is prepared (`renewPlans`). */
interface AcceptStatement {
  /** Absent: planned for this execution only. */
  readonly name?: string;
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

interface NumberedWrite extends AcceptableWrite {
  readonly source: number;
  readonly calls: readonly NewCall[];
}

interface NewCall {
  readonly number: number;
  readonly planKb: number;
  /** Indexes of its records. Absent: it has all of its operation. */
  readonly members: readonly number[] | undefined;
  /** Shortest retry time of its records. */
  readonly retryMs: number;
}

/** A call or a record with the position of its write in the flush, from 1. */
type Positioned<Row> = { readonly position: number; readonly row: Row };
type PositionedRecord = Positioned<NewRecord> & { readonly retryMs: number };

const operationColumns = [
  column<NumberedWrite>('id', 'text', (w) => w.operation.id),
  column<NumberedWrite>('source', 'integer', (w) => w.source),
  column<NumberedWrite>('traceparent', 'text', (w) => w.operation.traceparent),
  column<NumberedWrite>('records_total', 'integer', (w) => w.records.length),
  column<NumberedWrite>('calls_open', 'integer', (w) => w.calls.length),
  column<NumberedWrite>('is_keyed', 'boolean', (w) => w.idempotency !== undefined),
];
const callColumns = [
  column<Positioned<NewCall>>('position', 'integer', (c) => c.position),
  column<Positioned<NewCall>>('number', 'integer', (c) => c.row.number),
  column<Positioned<NewCall>>('plan_kb', 'integer', (c) => c.row.planKb),
  column<Positioned<NewCall>>('members', 'text', (c) => c.row.members && membersText(c.row.members)),
  column<Positioned<NewCall>>('retry_ms', 'bigint', (c) => c.row.retryMs),
];
const recordColumns = [
  column<PositionedRecord>('position', 'integer', (r) => r.position),
  column<PositionedRecord>('record_index', 'integer', (r) => r.row.index),
  column<PositionedRecord>('ref', 'text', (r) => r.row.ref),
  column<PositionedRecord>('order_key', 'text', (r) => r.row.orderKey),
  column<PositionedRecord>('headers_key', 'text', (r) => r.row.headersKey),
  column<PositionedRecord>('plan', 'json', (r) => r.row.plan),
  column<PositionedRecord>('retry_ms', 'bigint', (r) => r.retryMs),
];

/** How the rows are written in the text: visible to the planner, or not. */
type Sql = typeof rowsSql;

/** `current`: what may be stored. `fresh`: what is, each with its position in the accept order; without a key that is taken. */
const insertSql = (rowsOf: Sql, claimed: string, claimedIds: string): string => `
  with source as materialized (select s.* from ${rowsOf('s', sourceColumns)} where ${pinsAreCurrent('s')}),
  current as materialized (
    select o.ord as position, o.id, o.traceparent, o.records_total, o.calls_open, o.is_keyed,
           s.project_id, s.integration_id, s.installation_id, s.config_id, s.connection_id, s.lane_id, s.object_name, s.type,
           s.mode, s.all_or_none
    from ${rowsOf('o', operationColumns)} join source s on s.ord = o.source),
  claimed as (${claimed}),
  fresh as materialized (select c.*, nextval('accept_seq') as accept_seq from current c
    where not c.is_keyed or c.id in (select operation_id from claimed) order by c.position),
  opened as (insert into operations (project_id, id, integration_id, installation_id, config_id, connection_id, lane_id,
      object_name, type, mode, state, records_total, calls_open, traceparent)
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', records_total, calls_open, traceparent from fresh
    on conflict (project_id, id) do nothing returning id),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, plan_kb, members, deadline)
    select f.project_id, f.id, c.number, f.lane_id, f.connection_id, f.object_name, f.type, f.mode, 'ready', f.all_or_none,
      f.traceparent, c.plan_kb, c.members::integer[], now() + make_interval(secs => c.retry_ms / 1000.0) from ${rowsOf('c', callColumns)} join fresh f on f.position = c.position
    on conflict do nothing),
  stored as (insert into records (project_id, operation_id, record_index, ref, accept_seq, order_key, traceparent, config_id,
      headers_key, plan, retry_ms)
    select f.project_id, f.id, r.record_index, r.ref, f.accept_seq, r.order_key, f.traceparent, f.config_id, r.headers_key,
      r.plan, r.retry_ms
    from ${rowsOf('r', recordColumns)} join fresh f on f.position = r.position
    on conflict do nothing returning ${enqueuedColumns}),
  queued as (${enqueueSql('stored')})
  select now() as accepted_at, (select count(*)::integer from opened) as opened,
    array(select ord::integer from source) as sources, ${claimedIds} as claimed`;

const bareSql = (sql: Sql): string => insertSql(sql, 'select null::text as operation_id where false', `'{}'::text[]`);
const keyedSql = (sql: Sql): string =>
  insertSql(sql, claimSql('k.operation_id in (select id from current)'), 'array(select operation_id from claimed)');
/** The texts never change. `prepared`: with one plan for any number of rows; `visible`: the planner sees how many there are. */
const statements = {
  bare: { name: 'accept-writes', prepared: bareSql(preparedRowsSql), visible: bareSql(rowsSql) },
  keyed: { name: 'accept-keyed-writes', prepared: keyedSql(preparedRowsSql), visible: keyedSql(rowsSql) },
};

/** Inserts writes of any kind, with their keys. What is stored already stays as it is, so it may run twice with the same rows. */
function acceptStatement(
  writes: readonly AcceptableWrite[],
  { sources, sourceOf }: WriteSources,
  timeScale: number,
): AcceptStatement {
  const numbered = writes.map((write, at) => ({
    ...write,
    source: sourceOf[at] as number,
    calls: callsOf(write, timeScale),
  }));
  const calls = numbered.flatMap((write, at) => write.calls.map((row) => ({ position: at + 1, row })));
  const records = writes.flatMap((write, at) =>
    write.records.map((row) => ({ position: at + 1, row, retryMs: scaledRetryMs(row, timeScale) })),
  );
  const keyed = writes.flatMap(toKeyed);
  const { name, prepared, visible } = keyed.length === 0 ? statements.bare : statements.keyed;
  const bindings = [
    ...rowBindings(sourceColumns, sources),
    ...rowBindings(operationColumns, numbered),
    ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
    ...rowBindings(callColumns, calls),
    ...rowBindings(recordColumns, records),
  ];
  return records.length <= preparedRowsMax ? { name, sql: prepared, bindings } : { sql: visible, bindings };
}

/** An asynchronous write's reply is known before its commit. */
function toKeyed({ operation, records, idempotency }: AcceptableWrite): KeyedOperation[] {
  if (idempotency === undefined) return [];
  const { projectId, id: operationId } = operation;
  const ref = records[0]?.ref;
  const reply = { kind: 'accepted', operationId, index: 0, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId, operationId, claim: idempotency, reply }];
}

function callsOf({ records }: AcceptableWrite, timeScale: number): readonly NewCall[] {
  const byNumber = Map.groupBy(records, (record) => record.callNumber);
  return [...byNumber].map(([number, members]) => ({
    number,
    planKb: kilobytes(bytesOfPlans(members)),
    members: byNumber.size === 1 ? undefined : members.map(({ index }) => index),
    retryMs: Math.min(...members.map((member) => scaledRetryMs(member, timeScale))),
  }));
}
