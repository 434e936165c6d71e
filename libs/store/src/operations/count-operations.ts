import { countedOperationsMax, type OperationCounts } from '@sluice/types';
import type { Knex } from 'knex';
import {
  asksForProblem,
  failedRecordsReadMax,
  installationsMax,
  installationsOf,
  searched,
  type OperationSearch,
} from './find-operations';
import { clockSlackMs, conditions, firstIdAt } from './list-operations';

/** Of which operations: as they are searched for, without their status. */
export type CountedOperations = Pick<
  OperationSearch,
  'installationId' | 'groupRef' | 'objectName' | 'since' | 'until' | 'problemCode' | 'problemField' | 'problemText'
>;

interface CountRow extends Omit<OperationCounts, 'isAtLeast'> {
  readonly read: number;
  readonly is_cut: boolean;
}

/**
 * How the newest of them stand. So many are read at most, of all installations together where there are several; with a problem also so many of their
 * failed records.
 */
export async function countOperations(
  database: Knex,
  projectId: string,
  search: CountedOperations,
): Promise<OperationCounts> {
  const ids = await installationsOf(database, projectId, search);
  const each = Math.ceil(countedOperationsMax / Math.max(1, ids?.length ?? 1));
  const bindings = {
    projectId,
    ...search,
    ids: ids?.slice(0, installationsMax),
    each,
    recordsMax: failedRecordsReadMax,
    beforeId: search.until && firstIdAt(search.until.getTime()),
    fromId: search.since && firstIdAt(search.since.getTime() - clockSlackMs),
  };
  const { rows } = await database.raw<{ rows: CountRow[] }>(countSql(search, ids), bindings as never);
  const none = { read: 0, is_cut: false, inProgress: 0, success: 0, partial: 0, failure: 0 };
  const { read, is_cut: isCut, ...counts } = rows[0] ?? none;
  return { ...counts, isAtLeast: isCut || read >= each };
}

const counted = (name: string, condition: string): string =>
  `(count(*) filter (where ${condition}))::integer as "${name}"`;

/** `read`: of the installation of which the most were read. */
function countSql(search: CountedOperations, ids: readonly string[] | undefined): string {
  const { objectName, since, until, problemCode, problemField, problemText } = search;
  const range = [
    ids === undefined ? '' : ' and o.installation_id = i.id',
    since === undefined ? '' : ' and o.id >= :fromId',
    until === undefined ? '' : ' and o.id < :beforeId',
  ].join('');
  const isOfProblem = asksForProblem(search);
  const failedRead = 'sum(o.records_failed) over (order by o.id desc rows unbounded preceding)';
  const narrowed = [
    conditions({ ...(objectName && { objectName }), ...(since && { since }) }),
    isOfProblem ? ' and o.failed_read <= :recordsMax' : '',
    searched({
      ...(problemCode === undefined ? {} : { problemCode }),
      ...(problemField === undefined ? {} : { problemField }),
      ...(problemText === undefined ? {} : { problemText }),
    }),
  ].join('');
  return `
    with near as materialized (
      select o.*${isOfProblem ? `, ${failedRead} as failed_read` : ''}
      from (select ${ids === undefined ? 'null::text as id' : 'unnest(:ids::text[]) as id'}) i cross join lateral (
        select o.state, o.records_failed, o.object_name, o.created_at, o.id, o.installation_id, o.project_id from operations o
        where o.project_id = :projectId${range} order by o.id desc limit :each) o),
    most as (select count(*) as read from near ${ids === undefined ? '' : 'group by installation_id order by 1 desc limit 1'})
    select coalesce((select read from most), 0)::integer as read,
      ${isOfProblem ? 'exists (select 1 from near where failed_read > :recordsMax)' : 'false'} as is_cut,
      ${counted('inProgress', `o.state in ('accumulating', 'queued')`)}, ${counted('success', `o.state = 'succeeded' and o.records_failed = 0`)},
      ${counted('partial', `o.state = 'succeeded' and o.records_failed > 0`)}, ${counted('failure', `o.state = 'failed'`)}
    from near o where true${narrowed}`;
}
