import { statusOf } from '@sluice/types';
import type { Operation, OperationRecord, OperationState, RecordOutcome, RecordProblem } from '@sluice/types';
import { momentSql, optional, plain, table } from '../table';

export interface OperationRow {
  readonly project_id: string;
  readonly id: string;
  readonly integration_id: string;
  readonly installation_id: string;
  readonly config_id: string;
  readonly object_name: string;
  readonly state: OperationState;
  readonly result: string | null;
  /** ISO 8601 in UTC, as the other moments. */
  readonly created_at: string;
  readonly updated_at: string;
  readonly attempts: number | null;
  readonly last_attempt_at: string | null;
  readonly succeeded_ids: string[] | null;
  readonly records_total: number;
  readonly records_succeeded: number;
  readonly records_failed: number;
}

/** The columns of `OperationRow`, of rows that stand as `o`. */
export const operationColumns = `
  o.project_id, o.id, o.integration_id, o.installation_id, o.config_id, o.object_name, o.state, o.result,
  o.records_total, o.records_succeeded, o.records_failed,
  ${momentSql('o.created_at')} as created_at, ${momentSql('o.updated_at')} as updated_at,
  (select max(c.attempts) from calls c where c.project_id = o.project_id and c.operation_id = o.id) as attempts,
  (select ${momentSql('max(a.sent_at)')} from sent_attempts a where a.project_id = o.project_id and a.operation_id = o.id) as last_attempt_at,
  (select array_agg(e.provider_id order by e.record_index) from record_outcomes e
    where e.project_id = o.project_id and e.operation_id = o.id
      and e.outcome = 'succeeded' and e.provider_id is not null) as succeeded_ids`;

export function toOperation(row: OperationRow): Operation {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    installationId: row.installation_id,
    configId: row.config_id,
    actionType: 'write',
    status: statusOf(row.state),
    ...(row.result === null ? {} : { result: row.result }),
    createTime: row.created_at,
    updateTime: row.updated_at,
    resource: row.object_name,
    metadata: {
      objects: [row.object_name],
      ...(row.attempts === null ? {} : { retry: toRetry(row.attempts, row.last_attempt_at) }),
      ...(row.succeeded_ids === null ? {} : { successfulRecordIds: row.succeeded_ids }),
      ...(row.records_total === 0 ? {} : { records: toTally(row) }),
    },
  };
}

function toTally({ records_total: total, records_succeeded: succeeded, records_failed: failed }: OperationRow) {
  return { total, succeeded, failed };
}

function toRetry(attempts: number, lastAttempt: string | null) {
  return { attempts, ...(lastAttempt === null ? {} : { lastAttempt }) };
}

/** The outcome of a record, as members of a table. */
export const recordMembers = {
  index: plain<number>('record_index'),
  ref: optional(plain('ref')),
  status: plain<RecordOutcome>('outcome'),
  recordId: optional(plain('provider_id')),
  error: optional(plain<NonNullable<OperationRecord['error']>>('error')),
  problems: optional(plain<readonly RecordProblem[]>('problems')),
  warnings: optional(plain<readonly string[]>('warnings')),
  replayedBy: optional(plain('replayed_by')),
};

export const records = table(recordMembers);

/** SQL: the error of a row `alias` that has `error_class` and `error_text`; null: none. */
export const errorSql = (alias: string): string => `case when ${alias}.error_class is not null
  then json_build_object('class', ${alias}.error_class, 'message', coalesce(${alias}.error_text, '')) end`;

/** SQL: the outcome `e` of a record `r`. An operation has at most 100 records. */
export const withOutcome = `left join record_outcomes e
  on e.project_id = r.project_id and e.operation_id = r.operation_id and e.record_index = r.record_index`;

/** Of an outcome `e` with an error. Where none are stored, the text is the problem. */
const problemsSql = `coalesce(e.problems::json, json_build_array(json_build_object('message', coalesce(e.error_text, ''))))`;

/** The columns of `recordMembers`. An unfinished record shows the error of its last try. */
export const recordColumns = `r.record_index, r.ref, coalesce(e.outcome, 'pending') as outcome, e.provider_id,
  case when e.outcome is null then ${errorSql('r')} else ${errorSql('e')} end as error,
  case when e.error_class is not null then ${problemsSql} end as problems, e.warnings::json as warnings, r.replayed_by`;
