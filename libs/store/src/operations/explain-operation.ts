import type {
  CallState,
  ExplainedAttempt,
  ExplainedPlan,
  ExplainedRecord,
  JsonValue,
  OperationExplanation,
  WritePlan,
  WriteType,
} from '@sluice/types';
import { limits } from '@sluice/types';
import type { Knex } from 'knex';
import type { WriteMode } from '../writes/write-rows';
import { recordColumns, toRecord, type RecordRow } from './record-row';

/** All of an explanation but the operation, which its reader has. */
export interface OperationCourse extends Omit<OperationExplanation, 'operation' | 'pagination'> {
  /** More records follow the last one. */
  readonly hasMore: boolean;
}

/** Which records of an operation. */
export interface RecordPage {
  /** Index of the last record of the page before. @default from the first on */
  readonly afterIndex?: number;
  readonly size: number;
}

interface OperationRow {
  readonly provider: string;
  readonly type: WriteType;
  readonly mode: WriteMode;
  readonly due_at: Date | null;
  readonly is_full: boolean;
  readonly cancel_requested_at: Date | null;
  readonly blocked_until: Date | null;
}

interface CallRow {
  readonly number: number;
  readonly state: CallState;
  readonly all_or_none: boolean;
  readonly not_before: Date | null;
}

interface AttemptRow {
  readonly call_number: number;
  readonly number: string;
  readonly sent_at: Date;
  readonly finished_at: Date | null;
  readonly duration_ms: number | null;
  readonly status: number | null;
  readonly provider_request_id: string | null;
  readonly error_class: NonNullable<ExplainedAttempt['error']>['class'] | null;
  readonly error_text: string | null;
  readonly is_late: boolean;
  readonly record_indexes: number[];
}

interface ExplainedRow extends RecordRow {
  readonly call_number: number | null;
  readonly send_state: ExplainedRecord['sendState'];
  readonly retry_until: Date | null;
  readonly config_id: string;
  readonly plan: string | null;
}

/**
 * Plans that are read for one page, in bytes; a page of their forms is smaller. In pieces of `limits.pageBytesMax`, so that no more of them stands
 * in memory: the plans of an operation may have 600 MB.
 */
const planBytesMax = 20_000_000;
/** Attempts of one operation that are read, the newest; see operation-history. */
const attemptsMax = 1_000;

/**
 * The course of an operation from what its tables hold, without field values, and a page of its records. Undefined: the project has no such
 * operation.
 */
export async function explainOperation(
  database: Knex,
  projectId: string,
  operationId: string,
  page: RecordPage,
): Promise<OperationCourse | undefined> {
  const key = { projectId, operationId, attemptsMax };
  const read = async <Row>(sql: string, more: object = {}) =>
    (await database.raw<{ rows: Row[] }>(sql, { ...key, ...more } as never)).rows;
  const [operation] = await read<OperationRow>(operationSql);
  if (operation === undefined) return undefined;
  const [calls, attempts, sizes] = await Promise.all([
    read<CallRow>(callsSql),
    read<AttemptRow>(attemptsSql),
    read<SizeRow>(sizesSql, { afterIndex: page.afterIndex ?? -1, limit: page.size + 1 }),
  ]);
  const records: ExplainedRecord[] = [];
  let [shown, planBytes] = [0, 0];
  for (const piece of piecesOf(sizes.slice(0, page.size))) {
    const rows = await read<ExplainedRow>(recordsSql, { indexes: piece.map((row) => row.record_index) });
    const explained = rows.map(toExplained);
    records.push(...explained);
    shown += JSON.stringify(explained).length;
    planBytes += piece.reduce((sum, row) => sum + row.bytes, 0);
    if (shown >= limits.pageBytesMax || planBytes >= planBytesMax) break;
  }
  return {
    ...toCourse(operation),
    hasMore: records.length < sizes.length,
    calls: calls.map(({ number, state, all_or_none: allOrNone, not_before: notBefore }) => ({
      number,
      state,
      allOrNone,
      ...(notBefore === null ? {} : { notBefore: notBefore.toISOString() }),
      attempts: attempts.filter(({ call_number: call }) => call === number).map(toAttempt),
    })),
    records,
  };
}

interface SizeRow {
  readonly record_index: number;
  /** Of its plan, its error and its warnings. */
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
  select record_index,
         coalesce(octet_length(plan), 0) + coalesce(octet_length(error_text), 0)
           + coalesce(octet_length(array_to_string(warnings, '')), 0) as bytes
  from records
  where project_id = :projectId and operation_id = :operationId and record_index > :afterIndex
  order by record_index limit :limit`;

const operationSql = `
  select l.provider, o.type, o.mode, o.due_at, o.is_full, o.cancel_requested_at,
         case when l.blocked_until > now() then l.blocked_until end as blocked_until
  from operations o join lanes l on l.project_id = o.project_id and l.id = o.lane_id
  where o.project_id = :projectId and o.id = :operationId`;

const callsSql = `
  select number, state, all_or_none, case when state in ('ready', 'in_doubt') and not_before > now() then not_before end as not_before
  from calls where project_id = :projectId and operation_id = :operationId order by number`;

const attemptsSql = `
  select * from (
    select call_number, row_number() over (partition by call_number order by fence) as number, sent_at, finished_at,
           duration_ms, status, provider_request_id, error_class, error_text, late_evidence is not null as is_late, record_indexes
    from attempts where project_id = :projectId and operation_id = :operationId
    order by sent_at desc limit :attemptsMax) newest
  order by call_number, number`;

const recordsSql = `
  select ${recordColumns.join(', ')}, call_number, send_state, retry_until, config_id, plan
  from records where project_id = :projectId and operation_id = :operationId and record_index = any(:indexes::integer[])
  order by record_index`;

function toCourse(row: OperationRow): Omit<OperationCourse, 'calls' | 'records' | 'hasMore'> {
  const { provider, type, mode, due_at: dueAt, cancel_requested_at: cancelledAt, blocked_until: blockedUntil } = row;
  return {
    provider,
    type,
    mode,
    ...(dueAt === null ? {} : { batch: { dueAt: dueAt.toISOString(), isFull: row.is_full } }),
    ...(cancelledAt === null ? {} : { cancelRequestedAt: cancelledAt.toISOString() }),
    ...(blockedUntil === null ? {} : { laneBlockedUntil: blockedUntil.toISOString() }),
  };
}

function toAttempt(row: AttemptRow): ExplainedAttempt {
  return {
    number: Number(row.number),
    sentAt: row.sent_at.toISOString(),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
    ...(row.status === null ? {} : { status: row.status }),
    ...(row.provider_request_id === null ? {} : { providerRequestId: row.provider_request_id }),
    ...(row.error_class === null ? {} : { error: { class: row.error_class, message: row.error_text ?? '' } }),
    ...(row.is_late ? { isLate: true as const } : {}),
    recordIndexes: row.record_indexes,
  };
}

function toExplained(row: ExplainedRow): ExplainedRecord {
  return {
    ...toRecord(row),
    ...(row.call_number === null ? {} : { call: row.call_number }),
    sendState: row.send_state,
    ...(row.retry_until === null ? {} : { retryUntil: row.retry_until.toISOString() }),
    configId: row.config_id,
    ...(row.plan === null ? {} : { plan: withoutValues(JSON.parse(row.plan) as WritePlan) }),
  };
}

function withoutValues({
  objectName,
  recordId,
  fields,
  ifEmpty,
  associations,
  headers,
  notes,
}: WritePlan): ExplainedPlan {
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

/** The form of a value. Names inside an object may be a customer's own, so only their number is told. */
function formOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  return typeof value === 'object' ? `object(${Object.keys(value).length})` : typeof value;
}
