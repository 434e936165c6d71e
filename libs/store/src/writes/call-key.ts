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

/** The columns that name a call in a statement over many calls. */
export const callKeyColumns: readonly Column<CallKey>[] = [
  column('project_id', 'text', (call) => call.projectId),
  column('operation_id', 'text', (call) => call.operationId),
  column('number', 'integer', (call) => call.number),
];
