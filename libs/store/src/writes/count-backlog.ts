import type { Knex } from 'knex';

/** A count up to a million may take longer on a busy machine than other statements are given. */
const countTimeoutMs = 30_000;

/**
 * What waits of projects: calls that are ready, in doubt or behind another write, and records in auto-batches that are open. Each part is
 * read from an index of its own and no further than `max`, so the count costs no more once that much waits. Records of calls are not
 * counted: that takes a look per call, and an index of theirs would cost every accept. Calls that run at this moment are left out.
 * @returns per project; `max` stands for that many or more
 */
export async function countBacklog(
  database: Knex,
  projectIds: readonly string[],
  max: number,
): Promise<Map<string, number>> {
  if (projectIds.length === 0) return new Map();
  return await database.transaction(async (transaction) => {
    await transaction.raw(`set local statement_timeout = ${countTimeoutMs}`);
    const result = await transaction.raw<{ rows: { id: string; waiting: string }[] }>(
      `select p.id, least(:max, (select count(*) from (
           (select 1 from calls c where c.project_id = p.id and c.state in ('ready', 'in_doubt') limit :max)
           union all
           (select 1 from calls c where c.project_id = p.id and c.state = 'waiting' limit :max)) call)
         + (select coalesce(sum(o.records_total), 0) from operations o where o.project_id = p.id
              and o.state = 'accumulating' and not o.is_full and o.cancel_requested_at is null)
         + (select coalesce(sum(o.records_total), 0) from operations o where o.project_id = p.id
              and o.state = 'accumulating' and (o.is_full or o.cancel_requested_at is not null))) as waiting
       from unnest(:projectIds::text[]) as p(id)`,
      { projectIds: [...projectIds], max },
    );
    return new Map(result.rows.map((row) => [row.id, Number(row.waiting)]));
  });
}
