import type { OperationRecord, RecordOutcome } from '@sluice/types';

/** What the outcome of a record is told from. */
export interface RecordRow {
  readonly record_index: number;
  readonly ref: string | null;
  readonly outcome: RecordOutcome;
  readonly provider_id: string | null;
  readonly error_class: NonNullable<OperationRecord['error']>['class'] | null;
  readonly error_text: string | null;
  readonly warnings: string[] | null;
  readonly replayed_by: string | null;
}

/** The columns of `RecordRow`. */
export const recordColumns = [
  'record_index',
  'ref',
  'outcome',
  'provider_id',
  'error_class',
  'error_text',
  'warnings',
  'replayed_by',
] as const satisfies (keyof RecordRow)[];

export function toRecord(row: RecordRow): OperationRecord {
  return {
    index: row.record_index,
    ...(row.ref === null ? {} : { ref: row.ref }),
    status: row.outcome,
    ...(row.provider_id === null ? {} : { recordId: row.provider_id }),
    ...(row.error_class === null ? {} : { error: { class: row.error_class, message: row.error_text ?? '' } }),
    ...(row.warnings === null || row.warnings.length === 0 ? {} : { warnings: row.warnings }),
    ...(row.replayed_by === null ? {} : { replayedBy: row.replayed_by }),
  };
}
