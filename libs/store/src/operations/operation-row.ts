import { statusOf } from '@sluice/types';
import type { Operation, OperationRecord, RecordOutcome, RecordProblem } from '@sluice/types';
import { momentSql, optional, plain, shownAs, table, type StoredRow } from '../table';

/** Of an operation what stands in a column of its own. Its moments are read as texts. */
const operations = table({
  id: plain('id'),
  projectId: plain('project_id'),
  integrationId: plain('integration_id'),
  installationId: plain('installation_id'),
  configId: plain('config_id'),
  status: shownAs('state', statusOf),
  result: optional(plain('result')),
  createTime: plain('created_at'),
  updateTime: plain('updated_at'),
  resource: plain('object_name'),
});

const retries = table({ attempts: plain<number>('attempts'), lastAttempt: optional(plain('last_attempt_at')) });

const tallies = table({
  total: plain<number>('records_total'),
  succeeded: plain<number>('records_succeeded'),
  failed: plain<number>('records_failed'),
});

/** What `toOperation` reads, of rows that stand as `o`. */
export const operationColumns = `
  o.project_id, o.id, o.integration_id, o.installation_id, o.config_id, o.object_name, o.state, o.result,
  o.records_total, o.records_succeeded, o.records_failed,
  ${momentSql('o.created_at')} as created_at, ${momentSql('o.updated_at')} as updated_at,
  (select max(c.attempts) from calls c where c.project_id = o.project_id and c.operation_id = o.id) as attempts,
  (select ${momentSql('max(a.sent_at)')} from sent_attempts a where a.project_id = o.project_id and a.operation_id = o.id) as last_attempt_at,
  (select array_agg(e.provider_id order by e.record_index) from record_outcomes e
    where e.project_id = o.project_id and e.operation_id = o.id
      and e.outcome = 'succeeded' and e.provider_id is not null) as succeeded_ids`;

/** SQL: the group of the installation of an operation `o`, also of one that was deleted. By keys. */
export const ofGroupSql = `
  left join lateral (
    select n.group_ref from installations n where n.project_id = o.project_id and n.id = o.installation_id
    union all select n.group_ref from deleted_installations n where n.project_id = o.project_id and n.id = o.installation_id
    limit 1) n on true
  left join groups g on g.project_id = o.project_id and g.group_ref = n.group_ref`;

/** Read only where `ofGroupSql` stands: lists look groups up once for a page. */
const group = table({ groupRef: optional(plain('group_ref')), groupName: optional(plain('group_name')) });

export function toOperation(row: StoredRow): Operation {
  const { id, projectId, integrationId, installationId, configId, ...rest } = operations.read(row);
  return {
    id,
    projectId,
    integrationId,
    installationId,
    configId,
    actionType: 'write',
    ...('group_ref' in row ? group.read(row) : {}),
    ...rest,
    metadata: {
      objects: [rest.resource],
      ...(row.attempts === null ? {} : { retry: retries.read(row) }),
      ...(row.succeeded_ids === null ? {} : { successfulRecordIds: row.succeeded_ids as string[] }),
      ...(row.records_total === 0 ? {} : { records: tallies.read(row) }),
    },
  };
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

/** SQL: a list, as JSON, of an outcome `e` with an error. Where none are stored, the text is the only problem. */
export const problemsSql = `coalesce(e.problems::json, json_build_array(json_build_object('message', coalesce(e.error_text, ''))))`;

/** The columns of `recordMembers`. An unfinished record shows the error of its last try. */
export const recordColumns = `r.record_index, r.ref, coalesce(e.outcome, 'pending') as outcome, e.provider_id,
  case when e.outcome is null then ${errorSql('r')} else ${errorSql('e')} end as error,
  case when e.error_class is not null then ${problemsSql} end as problems, e.warnings::json as warnings, r.replayed_by`;
