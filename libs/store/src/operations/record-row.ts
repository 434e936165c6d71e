import type { OperationRecord, RecordOutcome } from '@sluice/types';
import { optional, plain, table } from '../table';

/** The outcome of a record, as members of a table. */
export const recordMembers = {
  index: plain<number>('record_index'),
  ref: optional(plain('ref')),
  status: plain<RecordOutcome>('outcome'),
  recordId: optional(plain('provider_id')),
  error: optional(plain<NonNullable<OperationRecord['error']>>('error')),
  warnings: optional(plain<readonly string[]>('warnings')),
  replayedBy: optional(plain('replayed_by')),
};

export const records = table(recordMembers);

/** An error of a row that has `error_class` and `error_text`. */
export const errorSql = `case when error_class is not null
  then json_build_object('class', error_class, 'message', coalesce(error_text, '')) end as error`;

/** The columns of `recordMembers`. */
export const recordColumns = `record_index, ref, outcome, provider_id, ${errorSql},
  case when cardinality(warnings) > 0 then warnings end as warnings, replayed_by`;
