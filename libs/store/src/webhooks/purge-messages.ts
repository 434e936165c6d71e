import type { Knex } from 'knex';
import { pendingEndpoints } from './claim-messages';

/** What ended so many days ago. */
const endedSql = `select project_id, endpoint_id, id from webhook_messages
  where ended_at <= now() - make_interval(days => cast(:days as integer)) order by ended_at limit :limit for update skip locked`;

/** What belongs to no endpoint: found by jumps, so that what waits for others is not read through. */
const orphanedSql = `with ${pendingEndpoints}
  select m.* from hops h cross join lateral (
    select m.project_id, m.endpoint_id, m.id from webhook_messages m
    where m.project_id = h.project_id and m.endpoint_id = h.endpoint_id and m.state = 'pending' limit :limit) m
  where not exists (select 1 from webhook_endpoints e where e.project_id = h.project_id and e.id = h.endpoint_id) limit :limit`;

/**
 * Deletes messages that ended so many days ago with their attempts, then those whose endpoint was deleted while they were written.
 * @returns how many, `limit` at most; at `limit` there may be more
 */
export async function purgeMessages(database: Knex, days: number, limit: number): Promise<number> {
  const ended = await deleteMessages(database, endedSql, { days, limit });
  return ended + (await deleteMessages(database, orphanedSql, { limit: limit - ended }));
}

async function deleteMessages(database: Knex, old: string, bindings: Record<string, number>): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ deleted: number }] }>(
    `with old as materialized (${old}),
     tries as (delete from webhook_attempts a using old
       where a.project_id = old.project_id and a.endpoint_id = old.endpoint_id and a.message_id = old.id),
     gone as (delete from webhook_messages m using old
       where m.project_id = old.project_id and m.endpoint_id = old.endpoint_id and m.id = old.id returning m.id)
     select count(*)::integer as deleted from gone`,
    bindings,
  );
  return rows[0].deleted;
}
