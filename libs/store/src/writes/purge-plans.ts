import type { Knex } from 'knex';

/**
 * Forgets what ended records were to write: the plan holds a customer's field values, and the fingerprint is made of them.
 * Outcomes, ids and errors stay. What is still to do is never touched, however old it is.
 * @param days since the record ended
 * @returns how many were purged; at `limit` there may be more
 */
export async function purgePlans(database: Knex, days: number, limit: number): Promise<number> {
  const result = await database.raw<{ rowCount: number }>(
    `update records r set plan = null, fingerprint = null
     from (select project_id, operation_id, record_index from records
           where plan is not null and outcome <> 'pending' and updated_at <= now() - make_interval(days => ?::integer)
           order by updated_at limit ? for update skip locked) old
     where r.project_id = old.project_id and r.operation_id = old.operation_id and r.record_index = old.record_index`,
    [days, limit],
  );
  return result.rowCount;
}
