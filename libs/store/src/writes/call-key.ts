import { column, type Column } from '../row-source';
import type { CallKey } from './write-rows';

/** Identifies a call in a set. */
export function callId(call: CallKey): string {
  return `${call.projectId}/${call.operationId}/${call.number}`;
}

/** A row that names a call, as Postgres returns it. */
export interface CallKeyRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly number: number;
}

export function toCallKey(row: CallKeyRow): CallKey {
  return { projectId: row.project_id, operationId: row.operation_id, number: row.number };
}

/**
 * SQL condition: a record is in a call of the same operation. Each record is in one from the accept or the seal until it has an outcome, which is in one
 * transaction with its leaving: whoever reads the records of a call reads the unfinished ones. The bounds come first: with them a range of the key is read,
 * not the whole operation.
 * @param record alias of `records`
 * @param call alias of `calls`
 */
export function isInCall(record: string, call: string): string {
  const bounds = `coalesce(${call}.members[1], 0) and coalesce(${call}.members[cardinality(${call}.members)], 2147483647)`;
  return `${record}.record_index between ${bounds}
    and (${call}.members is null or ${record}.record_index = any(${call}.members))`;
}

/** SQL: until when a record of a call is tried again. */
export function deadlineSql(record: string, call: string): string {
  return `${call}.base_at + make_interval(secs => ${record}.retry_ms / 1000.0)`;
}

/** `members` of a call, as an array that Postgres reads. */
export function membersText(indexes: readonly number[]): string {
  return `{${indexes.toSorted((a, b) => a - b).join(',')}}`;
}

/** The columns that name a call in a statement over many calls. */
export const callKeyColumns: readonly Column<CallKey>[] = [
  column('project_id', 'text', (call) => call.projectId),
  column('operation_id', 'text', (call) => call.operationId),
  column('number', 'integer', (call) => call.number),
];
