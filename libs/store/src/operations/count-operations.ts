import { countedOperationsMax, type OperationCounts } from '@sluice/types';
import type { Knex } from 'knex';
import { installationsMax, installationsOf, type OperationSearch } from './find-operations';
import { clockSlackMs, conditions, firstIdAt } from './list-operations';

/** Of which operations: as they are searched for, without their status. */
export type CountedOperations = Pick<OperationSearch, 'installationId' | 'groupRef' | 'objectName' | 'since' | 'until'>;

interface CountRow extends Omit<OperationCounts, 'isAtLeast'> {
  readonly read: number;
}

/** How the newest of them stand. So many are read at most, of all installations together where there are several. */
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
    beforeId: search.until && firstIdAt(search.until.getTime()),
    fromId: search.since && firstIdAt(search.since.getTime() - clockSlackMs),
  };
  const { rows } = await database.raw<{ rows: CountRow[] }>(countSql(search, ids), bindings as never);
  const { read, ...counts } = rows[0] ?? { read: 0, inProgress: 0, success: 0, partial: 0, failure: 0 };
  return { ...counts, isAtLeast: read >= each };
}

const counted = (name: string, condition: string): string =>
  `(count(*) filter (where ${condition}))::integer as "${name}"`;

/** `read`: of the installation of which the most were read. */
function countSql({ objectName, since, until }: CountedOperations, ids: readonly string[] | undefined): string {
  const range = [
    ids === undefined ? '' : ' and o.installation_id = i.id',
    since === undefined ? '' : ' and o.id >= :fromId',
    until === undefined ? '' : ' and o.id < :beforeId',
  ].join('');
  return `
    with near as materialized (
      select o.* from (select ${ids === undefined ? 'null::text as id' : 'unnest(:ids::text[]) as id'}) i cross join lateral (
        select o.state, o.records_failed, o.object_name, o.created_at, o.id, o.installation_id from operations o
        where o.project_id = :projectId${range} order by o.id desc limit :each) o),
    most as (select count(*) as read from near ${ids === undefined ? '' : 'group by installation_id order by 1 desc limit 1'})
    select coalesce((select read from most), 0)::integer as read, ${counted('inProgress', `o.state in ('accumulating', 'queued')`)},
      ${counted('success', `o.state = 'succeeded' and o.records_failed = 0`)},
      ${counted('partial', `o.state = 'succeeded' and o.records_failed > 0`)}, ${counted('failure', `o.state = 'failed'`)}
    from near o where true${conditions({ ...(objectName && { objectName }), ...(since && { since }) })}`;
}
