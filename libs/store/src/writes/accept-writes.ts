import type { SluiceError } from '@sluice/errors';
import type { Knex } from 'knex';
import { isDuplicate } from '../database-errors';
import { beforeSending, outcomeUnknown, persist } from '../guard';
import { type Column, column, preparedRowsMax, preparedRowsSql, rowBindings, rowSource, rowsSql } from '../row-source';
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
  insertOperationsSql,
  pinColumns,
  pinsAreCurrent,
  rowColumns,
  scaledRetryMs,
  insertRecordsSql,
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
  readonly sources: readonly number[];
  readonly claimed: readonly string[];
}

interface EarlierTries {
  /** Answers of earlier tries, which stay valid; filled as soon as they are known, so that a later failure does not lose them. @default none */
  readonly answers?: Map<string, Acceptance>;
  /** An earlier try may still be committed. @default false */
  readonly isInDoubt?: boolean;
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
    return await persist((isInDoubt) => insertAccepted(database, writes, timeScale, { answers, isInDoubt }));
  } catch (failed) {
    if (answers.size === 0) throw failed;
    return new Map(writes.map(({ operation: { id } }) => [id, answers.get(id) ?? (failed as SluiceError)]));
  }
}

/**
 * Accepts many writes in one statement: one committed transaction is the promise. The primary key refuses what an earlier try has stored, which
 * is then looked up, and the rest is offered again. So it may run any number of times, and no insert handles conflicts, which costs more.
 * `accept_seq` is drawn once per request, inside the insert: with the index it is the only definition of accept order.
 */
export async function insertAccepted(
  database: Knex,
  writes: readonly AcceptableWrite[],
  timeScale: number,
  { answers = new Map(), isInDoubt = false }: EarlierTries = {},
): Promise<Map<string, Acceptance>> {
  const unanswered = (): AcceptableWrite[] => writes.filter(({ operation }) => !answers.has(operation.id));
  const open = unanswered();
  const { name, sql, bindings, sourceOf } = beforeSending(() => acceptStatement(open, timeScale));
  const result = await database
    .raw<{ rows: [Inserted] }>(sql, bindings as Knex.Value[])
    .options(name === undefined ? {} : { name })
    .catch(async (error: unknown) => {
      if (!isDuplicate(error)) throw error;
      await noteStored(database, open, answers).catch((cause: unknown) => {
        throw new Error('an accept was stored and cannot be read', { cause });
      });
      if (unanswered().length > 0) throw error;
    });
  if (result === undefined) return answers;
  const [inserted] = result.rows;
  const [isCurrent, isClaimed] = [new Set(inserted.sources), new Set(inserted.claimed)];
  const refusals = new Map<string, Acceptance>();
  for (const [at, { operation, idempotency }] of open.entries()) {
    if (!isCurrent.has(sourceOf[at] as number)) refusals.set(operation.id, { kind: 'stale' });
    else if (idempotency !== undefined && !isClaimed.has(operation.id))
      refusals.set(operation.id, { kind: 'key-taken' });
    else answers.set(operation.id, { kind: 'accepted', acceptedAt: inserted.accepted_at });
  }
  // What an earlier try has stored is accepted, whatever this one refuses.
  if (refusals.size > 0) await noteStored(database, unanswered(), answers);
  // The earlier try may be committed after this one: what is refused now could be written all the same, or planned again and stored twice.
  if (isInDoubt && unanswered().length > 0) throw outcomeUnknown();
  for (const { operation } of unanswered()) answers.set(operation.id, refusals.get(operation.id) as Acceptance);
  return answers;
}

/** What an earlier try committed, with its time. */
async function noteStored(
  database: Knex,
  writes: readonly AcceptableWrite[],
  answers: Map<string, Acceptance>,
): Promise<void> {
  const { sql, bindings } = rowSource('i', storedColumns, writes);
  const result = await database.raw<{ rows: { id: string; created_at: Date }[] }>(
    `select o.id, o.created_at from ${sql} join operations o on o.project_id = i.project_id and o.id = i.id`,
    bindings as Knex.Value[],
  );
  for (const { id, created_at: acceptedAt } of result.rows) answers.set(id, { kind: 'accepted', acceptedAt });
}

const storedColumns = [
  column<AcceptableWrite>('project_id', 'text', (w) => w.operation.projectId),
  column<AcceptableWrite>('id', 'text', (w) => w.operation.id),
];

/** A record with its operation. The first one of an operation also stands for the operation, and the first one of a call for the call. */
interface AcceptedRecord {
  readonly write: AcceptableWrite;
  /** Position of the operation in the flush, from 1. */
  readonly position: number;
  readonly source: number;
  readonly callsOpen: number;
  readonly call: NewCall;
  readonly record: NewRecord;
  readonly retryMs: number;
}

interface NewCall {
  readonly number: number;
  readonly first: NewRecord;
  readonly planKb: number;
  /** Indexes of its records. Absent: it has all of its operation. */
  readonly members: readonly number[] | undefined;
  /** Shortest retry time of its records. */
  readonly retryMs: number;
}

type Columns = readonly Column<AcceptedRecord>[];

const operationColumns: Columns = [
  ...rowColumns.map(({ name, type, value }) => column<AcceptedRecord>(name, type, (r) => value(r.write.operation))),
  column('id', 'text', (r) => r.write.operation.id),
  column('source', 'integer', (r) => r.source),
  column('traceparent', 'text', (r) => r.write.operation.traceparent),
];
const callColumns: Columns = [column('plan_kb', 'integer', (r) => r.call.planKb)];
const recordColumns: Columns = [
  column('ref', 'text', (r) => r.record.ref),
  column('order_key', 'text', (r) => r.record.orderKey),
  column('headers_key', 'text', (r) => r.record.headersKey),
  column('plan', 'json', (r) => r.record.plan),
  column('retry_ms', 'bigint', (r) => r.retryMs),
];
const positionColumn: Columns[number] = column('position', 'integer', (r) => r.position);

/** Of writes of one record each, without a key. A row is an operation, its call and its record. */
const singleColumns: Columns = [...operationColumns, ...callColumns, ...recordColumns];
/** Of any writes. */
const columnsOfAny: Record<'operations' | 'calls' | 'records', Columns> = {
  operations: [
    ...operationColumns,
    column('records_total', 'integer', (r) => r.write.records.length),
    column('calls_open', 'integer', (r) => r.callsOpen),
    column('is_keyed', 'boolean', (r) => r.write.idempotency !== undefined),
  ],
  calls: [
    positionColumn,
    ...callColumns,
    column('number', 'integer', (r) => r.call.number),
    column('members', 'text', (r) => r.call.members && membersText(r.call.members)),
    column('call_retry_ms', 'bigint', (r) => r.call.retryMs),
  ],
  records: [positionColumn, ...recordColumns, column('record_index', 'integer', (r) => r.record.index)],
};

/** What the rows of a statement are. */
interface AcceptKind {
  /** `singleColumns`: nothing is joined. */
  readonly isSingle: boolean;
  readonly isKeyed: boolean;
  /** How the rows stand in the text: visible to the planner, or not. */
  readonly rowsOf: typeof rowsSql;
}

/**
 * `checked`: of each source whether its pins are current, by its position. An array, because every lookup in it costs the same. `current`: what may be
 * stored. `fresh`: what is, each with its position in the accept order; without a key that is taken.
 */
function acceptSql({ isSingle, isKeyed, rowsOf }: AcceptKind): string {
  const operations = rowsOf('w', isSingle ? singleColumns : columnsOfAny.operations);
  const current = `${operations} where (select are_current from checked)[w.source]`;
  const joined = (columns: Columns): string =>
    isSingle ? 'fresh' : `${rowsOf('r', columns)} join fresh f on f.ord = r.position`;
  const [total, open, number, members, retryMs, index] = isSingle
    ? ['1', '1', '1', 'null', 'retry_ms', '0']
    : ['records_total', 'calls_open', 'number', 'members', 'call_retry_ms', 'record_index'];
  return `
  with checked as materialized (
    select array_agg(coalesce(${pinsAreCurrent('s')}, false) order by s.ord) as are_current from ${rowsOf('s', pinColumns)}),
  ${isKeyed ? `current as materialized (select w.* from ${current}),` : ''}
  ${isKeyed ? `claimed as (${claimSql('k.operation_id in (select id from current)')}),` : ''}
  fresh as materialized (select w.*, nextval('accept_seq') as accept_seq
    from ${isKeyed ? 'current w where not is_keyed or id in (select operation_id from claimed)' : current} order by w.ord),
  opened as (${insertOperationsSql}
    select project_id, id, integration_id, installation_id, config_id, connection_id, lane_id, object_name, type, mode,
      'queued', ${total}, ${open}, traceparent from fresh),
  called as (insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state,
      all_or_none, traceparent, plan_kb, members, deadline)
    select project_id, id, ${number}, lane_id, connection_id, object_name, type, mode, 'ready', all_or_none, traceparent,
      plan_kb, ${members}::integer[], now() + make_interval(secs => ${retryMs} / 1000.0) from ${joined(columnsOfAny.calls)}),
  stored as (${insertRecordsSql}
    select project_id, id, ${index}, ref, accept_seq, order_key, traceparent, config_id, headers_key, plan, retry_ms
    from ${joined(columnsOfAny.records)} returning ${enqueuedColumns}),
  queued as (${enqueueSql('stored')})
  select now() as accepted_at, ${isKeyed ? 'array(select operation_id from claimed)' : `'{}'::text[]`} as claimed,
    array(select c.ord::integer from checked, unnest(are_current) with ordinality as c(is_current, ord) where c.is_current) as sources`;
}

const texts = (isSingle: boolean, isKeyed: boolean) => ({
  prepared: acceptSql({ isSingle, isKeyed, rowsOf: preparedRowsSql }),
  visible: acceptSql({ isSingle, isKeyed, rowsOf: rowsSql }),
});
/** The texts never change. `prepared`: with one plan for any number of rows; `visible`: the planner sees how many there are. */
const statements = {
  singles: { name: 'accept-singles', ...texts(true, false) },
  bare: { name: 'accept-writes', ...texts(false, false) },
  keyed: { name: 'accept-keyed-writes', ...texts(false, true) },
};

/** What accepts a flush. */
interface AcceptStatement {
  /** Absent: planned for this execution only. */
  readonly name?: string;
  readonly sql: string;
  readonly bindings: readonly unknown[];
  readonly sourceOf: WriteSources['sourceOf'];
}

function acceptStatement(writes: readonly AcceptableWrite[], timeScale: number): AcceptStatement {
  const { sources, sourceOf } = groupBySource(writes.map((write) => write.operation));
  const records = writes.flatMap((write, at) => toRecords(write, at + 1, sourceOf[at] as number, timeScale));
  const keyed = writes.flatMap(toKeyed);
  const isSingle = keyed.length === 0 && records.length === writes.length;
  const bare = isSingle ? statements.singles : statements.bare;
  const { name, prepared, visible } = keyed.length === 0 ? bare : statements.keyed;
  const rows = isSingle
    ? rowBindings(singleColumns, records)
    : [
        ...rowBindings(
          columnsOfAny.operations,
          records.filter(({ write, record }) => write.records[0] === record),
        ),
        ...(keyed.length === 0 ? [] : claimBindings(keyed, timeScale)),
        ...rowBindings(
          columnsOfAny.calls,
          records.filter(({ call, record }) => call.first === record),
        ),
        ...rowBindings(columnsOfAny.records, records),
      ];
  const bindings = [...rowBindings(pinColumns, sources), ...rows];
  const text = records.length <= preparedRowsMax ? { name, sql: prepared } : { sql: visible };
  return { ...text, bindings, sourceOf };
}

function toRecords(write: AcceptableWrite, position: number, source: number, timeScale: number): AcceptedRecord[] {
  const [only, more] = write.records;
  // Most writes are one record, which needs no grouping.
  if (only !== undefined && more === undefined) {
    const call = toCall(only.callNumber, write.records, { isWhole: true, timeScale });
    return [{ write, position, source, callsOpen: 1, call, record: only, retryMs: call.retryMs }];
  }
  const byNumber = Map.groupBy(write.records, (record) => record.callNumber);
  const isWhole = byNumber.size === 1;
  return [...byNumber].flatMap(([number, members]) => {
    const call = toCall(number, members, { isWhole, timeScale });
    return members.map((record) => {
      const retryMs = scaledRetryMs(record, timeScale);
      return { write, position, source, callsOpen: byNumber.size, call, record, retryMs };
    });
  });
}

/** @param isWhole it has all records of its operation */
function toCall(
  number: number,
  members: readonly NewRecord[],
  { isWhole, timeScale }: { readonly isWhole: boolean; readonly timeScale: number },
): NewCall {
  return {
    number,
    first: members[0] as NewRecord,
    planKb: kilobytes(bytesOfPlans(members)),
    members: isWhole ? undefined : members.map(({ index }) => index),
    retryMs: Math.min(...members.map((member) => scaledRetryMs(member, timeScale))),
  };
}

/** An asynchronous write's reply is known before its commit. */
function toKeyed({ operation, records, idempotency }: AcceptableWrite): KeyedOperation[] {
  if (idempotency === undefined) return [];
  const { projectId, id: operationId } = operation;
  const ref = records[0]?.ref;
  const reply = { kind: 'accepted', operationId, index: 0, ...(ref === undefined ? {} : { ref }) } as const;
  return [{ projectId, operationId, claim: idempotency, reply }];
}
