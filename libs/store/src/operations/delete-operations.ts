import type { Knex } from 'knex';
import { hiddenFromPlanner } from '../row-source';

const belongings = ['calls', 'records', 'attempts', 'outcomes', 'quarantine'] as const;

/**
 * SQL: the parts of a statement that delete operations with all that is stored of them; `gone` has the key of each.
 * @param picked SQL that selects `project_id` and `id` of those that are to go, and locks them
 */
export function deleteOperationsSql(picked: string): string {
  const goneOf = (table: string) =>
    `${table}_gone as (delete from ${table} t using gone g where t.project_id = g.project_id and t.operation_id = g.id)`;
  return `
    with picked as materialized (${picked}),
    gone as (delete from operations o using picked p where o.project_id = p.project_id and o.id = p.id returning o.project_id, o.id),
    ${belongings.map(goneOf).join(', ')}`;
}

/** SQL: what the id of an operation is not below that was made since then. Ids begin with their moment: RFC 9562, 5.7. */
const leastId = `(select substr(hex, 1, 8) || '-' || substr(hex, 9) from lpad(to_hex(
  (extract(epoch from now() - make_interval(days => :days::integer)) * 1000)::bigint), 12, '0') as hex)`;

/** By id, so that the oldest are found in the key: no index of ends is kept for it. */
const deleteEndedSql = `${deleteOperationsSql(`
      select o.project_id, o.id from projects p cross join lateral (
        select e.project_id, e.id from operations e where e.project_id = p.id and e.id < ${leastId}
          and e.state = any(${hiddenFromPlanner('{succeeded,failed}')}::text[]) and e.updated_at <= now() - make_interval(days => :days::integer)
        order by e.id limit :limit for update skip locked) o limit :limit`)}
    select count(*)::integer as deleted from gone`;

/**
 * Deletes operations that ended this many days ago, with their records, outcomes and logs. What has not ended stays, however old it is.
 * @param days at least 1
 * @param limit operations, with at most 100 records each
 * @returns how many were deleted; at `limit` there may be more
 */
export async function deleteEnded(database: Knex, days: number, limit: number): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ deleted: number }] }>(deleteEndedSql, { days, limit });
  return rows[0].deleted;
}
