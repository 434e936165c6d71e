import {
  type CallState,
  type ExplainedAttempt,
  type ExplainedPlan,
  type ExplainedRecord,
  type JsonValue,
  type OperationExplanation,
  type WritePlan,
  type WriteType,
  firstWithin,
  jsonBytes,
  limits,
} from '@sluice/types';
import type { Knex } from 'knex';
import { type StoredRow, moment, momentSql, optional, plain, shownAs, table } from '../table';
import { type OperationMode, deadlineSql, isInCall } from '../writes/write-rows';
import { isFullSql } from '../writes/close-batch';
import { errorSql, recordColumns, recordMembers, withOutcome } from './operation-row';

/** All of an explanation but the operation, which its reader has, and what holds it. */
export interface OperationCourse extends Omit<OperationExplanation, 'operation' | 'held' | 'pagination'> {
  /** More records follow the last one. */
  readonly hasMore: boolean;
}

/** Which records of an operation. */
export interface RecordPage {
  /** Index of the last record of the page before. @default from the first on */
  readonly afterIndex?: number;
  readonly size: number;
}

const course = table({
  provider: plain('provider'),
  type: plain<WriteType>('type'),
  mode: plain<OperationMode>('mode'),
  batch: optional(plain<NonNullable<OperationCourse['batch']>>('batch')),
  cancelRequestedAt: optional(moment('cancel_requested_at')),
  laneBlockedUntil: optional(moment('blocked_until')),
});

const calls = table({
  number: plain<number>('number'),
  state: plain<CallState>('state'),
  allOrNone: plain<boolean>('all_or_none'),
  notBefore: optional(moment('not_before')),
});

const attempts = table({
  number: shownAs('number', Number),
  sentAt: moment('sent_at'),
  finishedAt: optional(moment('finished_at')),
  durationMs: optional(plain<number>('duration_ms')),
  status: optional(plain<number>('status')),
  providerRequestId: optional(plain('provider_request_id')),
  error: optional(plain<NonNullable<ExplainedAttempt['error']>>('error')),
  isLate: optional(plain<true>('is_late')),
  recordIndexes: plain<readonly number[]>('record_indexes'),
});

const explained = table({
  ...recordMembers,
  call: optional(plain<number>('call_number')),
  sendState: plain<ExplainedRecord['sendState']>('send_state'),
  retryUntil: optional(moment('retry_until')),
  configId: plain('config_id'),
  plan: optional(shownAs('plan', (text: string) => withoutValues(JSON.parse(text) as WritePlan))),
});

/**
 * Plans that are read for one page, in bytes; a page of their forms is smaller. In pieces of `limits.pageBytesMax`, so that no more of them stands
 * in memory: the plans of an operation may have 600 MB.
 */
const planBytesMax = 20_000_000;
/** Attempts of one operation that are read, the newest; see operation-history. */
const attemptsMax = 1_000;
/** Of these, the newest that half of a page holds: they are in each page. */
const attemptBytesMax = limits.pageBytesMax / 2;

/**
 * The course of an operation as its tables hold it, without field values, and a page of its records. The page has as many records as fit in
 * `limits.pageBytesMax` beside the calls, and at least one. Undefined: the project has no such operation.
 */
export async function explainOperation(
  database: Knex,
  projectId: string,
  operationId: string,
  { afterIndex = -1, size }: RecordPage,
): Promise<OperationCourse | undefined> {
  const read = async <Row = StoredRow>(sql: string, more: object = {}) =>
    (await database.raw<{ rows: Row[] }>(sql, { projectId, operationId, attemptsMax, ...more } as never)).rows;
  const [operation] = await read(operationSql);
  if (operation === undefined) return undefined;
  const [callRows, attemptRows, sizes] = await Promise.all([
    read(callsSql),
    read(attemptsSql),
    read<SizeRow>(sizesSql, { afterIndex, limit: size + 1 }),
  ]);
  const attemptsOf = newestAttempts(attemptRows);
  const callsOf = callRows.map((row) => ({
    ...calls.read(row),
    attempts: (attemptsOf.get(row.number) ?? []).map(({ attempt }) => attempt),
  }));
  const records: ExplainedRecord[] = [];
  let bytesLeft = limits.pageBytesMax - jsonBytes(callsOf);
  let planBytes = 0;
  for (const piece of piecesOf(sizes.slice(0, size))) {
    const rows = await read(recordsSql, { indexes: piece.map((row) => row.record_index) });
    const fitting = firstWithin(rows.map(explained.read), bytesLeft);
    // A record that fills a page alone is on it all the same.
    records.push(...(records.length + fitting.length === 0 ? rows.slice(0, 1).map(explained.read) : fitting));
    bytesLeft -= jsonBytes(fitting);
    planBytes += piece.reduce((sum, row) => sum + row.bytes, 0);
    if (fitting.length < rows.length || planBytes >= planBytesMax) break;
  }
  return { ...course.read(operation), hasMore: records.length < sizes.length, calls: callsOf, records };
}

/** By call, each in its order. @param rows the newest first */
function newestAttempts(rows: readonly StoredRow[]) {
  const found = rows.map((row) => ({ call: row.call_number, attempt: attempts.read(row) }));
  return Map.groupBy(firstWithin(found, attemptBytesMax).toReversed(), ({ call }) => call);
}

interface SizeRow {
  readonly record_index: number;
  /** Of its plan, its error, its problems and its warnings. */
  readonly bytes: number;
}

/** Each of a megabyte, or of one record that has more. */
function piecesOf(sizes: readonly SizeRow[]): SizeRow[][] {
  const pieces: SizeRow[][] = [];
  let bytes = Infinity;
  for (const size of sizes) {
    bytes += size.bytes;
    if (bytes > limits.pageBytesMax) {
      pieces.push([]);
      bytes = size.bytes;
    }
    pieces.at(-1)?.push(size);
  }
  return pieces;
}

/** The plans stay where they are: their length is known without reading them. */
const sizesSql = `
  select r.record_index, coalesce(octet_length(r.plan), 0) + coalesce(octet_length(coalesce(e.error_text, r.error_text)), 0)
           + coalesce(octet_length(e.problems), 0) + coalesce(octet_length(e.warnings), 0) as bytes
  from records r ${withOutcome}
  where r.project_id = :projectId and r.operation_id = :operationId and r.record_index > :afterIndex
  order by r.record_index limit :limit`;

const operationSql = `
  select l.provider, o.type, o.mode, o.cancel_requested_at,
         case when o.due_at is not null then json_build_object('dueAt', ${momentSql('o.due_at')}, 'isFull', ${isFullSql('o')}) end as batch,
         case when l.blocked_until > now() then l.blocked_until end as blocked_until
  from operations o join lanes l on l.project_id = o.project_id and l.id = o.lane_id
  where o.project_id = :projectId and o.id = :operationId`;

const callsSql = `
  select number, state, all_or_none, case when state in ('ready', 'in_doubt') and not_before > now() then not_before end as not_before
  from calls where project_id = :projectId and operation_id = :operationId order by number`;

const attemptsSql = `
  select call_number, row_number() over (partition by call_number order by fence) as number, sent_at, finished_at,
         duration_ms, status, provider_request_id, ${errorSql('a')} as error,
         case when late_evidence is not null then true end as is_late, record_indexes
  from sent_attempts a where project_id = :projectId and operation_id = :operationId
  order by sent_at desc, fence desc limit :attemptsMax`;

/** What is being sent, or has ended with its attempt, shows it there. */
const sendStateSql = `case when r.send_state = 'none' and (r.record_index = any(k.sent_members) or exists (
    select 1 from attempts a where a.project_id = e.project_id and a.operation_id = e.operation_id and a.call_number = e.call_number
      and a.fence = e.fence and r.record_index = any(a.record_indexes))) then 'sent' else r.send_state end`;

const recordsSql = `
  select ${recordColumns}, k.number as call_number, ${sendStateSql} as send_state, ${deadlineSql('r', 'k')} as retry_until, r.config_id, r.plan
  from records r ${withOutcome} left join calls k on k.project_id = r.project_id and k.operation_id = r.operation_id
    and case when e.call_number is null then ${isInCall('r', 'k')} else k.number = e.call_number end
  where r.project_id = :projectId and r.operation_id = :operationId and r.record_index = any(:indexes::integer[])
  order by r.record_index`;

function withoutValues(plan: WritePlan): ExplainedPlan {
  const { objectName, recordId, fields, ifEmpty, associations, headers, notes } = plan;
  return {
    objectName,
    ...(recordId === undefined ? {} : { recordId }),
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, formOf(value)])),
    ...(ifEmpty === undefined ? {} : { ifEmpty }),
    ...(notes === undefined ? {} : { notes }),
    ...(associations === undefined ? {} : { associations: associations.length }),
    ...(headers === undefined ? {} : { headers: headers.map(({ key }) => key) }),
  };
}

/** The form of a value. Names inside an object may be a customer's own, so only their number is shown. */
function formOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  return typeof value === 'object' ? `object(${Object.keys(value).length})` : typeof value;
}
