import type { Knex } from 'knex';
import type { BatchKey } from './close-batch';
import type { LaneKey } from './lanes';
import { connectionIsUsable } from './take-calls';
import { hiddenFromPlanner } from '../row-source';

/** Auto-batches that are closed and not sealed, and those that are due, oldest first. */
export async function findDueBatches(database: Knex, limit: number): Promise<BatchKey[]> {
  const result = await database.raw<{ rows: { project_id: string; operation_id: string }[] }>(
    `(select project_id, operation_id from open_batches where is_open and due_at <= now() order by due_at limit ?)
     union all
     (select project_id, operation_id from closed_batches limit ?)`,
    [limit, limit],
  );
  return result.rows.map((row) => ({ projectId: row.project_id, operationId: row.operation_id }));
}

/** How long the answers of a joining statement are stored, in minutes. A statement that was sent and has no answer ends within seconds. */
const flushMinutes = 10;

/** Deletes the rows of joining statements once no repetition can ask for them. @returns how many; at `limit` there may be more */
export async function sweepFlushes(database: Knex, limit: number): Promise<number> {
  const result = await database.raw<{ rowCount: number }>(
    `delete from flushes f using (
       select project_id, id from flushes where created_at <= now() - make_interval(mins => ${flushMinutes})
       order by created_at limit ? for update skip locked) old
     where f.project_id = old.project_id and f.id = old.id`,
    [limit],
  );
  return result.rowCount;
}

/**
 * A lane with a call that crashed an executor twice and may run now: it waits until a process has nothing else to do. A call that is
 * held back, by its lane or its connection, would make that process wait in vain.
 */
export async function findIsolated(database: Knex): Promise<LaneKey | undefined> {
  const result = await database.raw<{ rows: { project_id: string; lane_id: string }[] }>(
    `select c.project_id, c.lane_id from calls c
     where c.crash_count >= 2 and c.state = any(${hiddenFromPlanner('{ready,in_doubt}')}::text[]) and c.not_before <= now() and ${connectionIsUsable('c')}
       and (select coalesce(l.blocked_until, now()) <= now() from lanes l where l.project_id = c.project_id and l.id = c.lane_id)
     order by c.not_before limit 1`,
  );
  const row = result.rows[0];
  return row && { projectId: row.project_id, laneId: row.lane_id };
}

/** Replaces the provider's text. */
const deletedText = 'The text of the provider was deleted: the retention time is over.';

/**
 * Deletes what ended records were to write: the plan holds a customer's field values, the fingerprint is made of them, and a provider's
 * text may repeat them. Outcomes, ids, classes of errors and counts stay. Unfinished records are never touched, however old they are.
 * @param days since the record ended
 * @param limit records; the last call's are not divided
 * @returns how many were purged; at `limit` or above there may be more
 */
export async function purgePlans(database: Knex, days: number, limit: number): Promise<number> {
  const result = await database.raw<{ rowCount: number }>(
    `with ended as materialized (
       select * from outcomes where is_kept and ended_at <= now() - make_interval(days => :days::integer)
       order by ended_at limit :limit for update skip locked),
     old as materialized (
       select * from (select *, sum(cardinality(record_indexes)) over (order by ended_at, operation_id, call_number, outcome) as up_to from ended) e
       where up_to - cardinality(record_indexes) < :limit),
     tries as (
       update attempts a set error_text = null, late_evidence = null
       from old o
       where a.project_id = o.project_id and a.operation_id = o.operation_id and a.record_indexes && o.record_indexes
         and (a.error_text is not null or a.late_evidence is not null)),
     renamed as (
       update operations o set result = case when o.records_total = 1 then :deletedText
         else split_part(o.result, '. First error, record ', 1) || '. ' || :deletedText end
       from (select distinct project_id, operation_id from old where error_texts is not null) e
       where o.project_id = e.project_id and o.id = e.operation_id and o.state in ('succeeded', 'failed')
         and o.result is not null),
     undone as (
       delete from adoptions a using old where a.project_id = old.project_id and a.lane_id = old.lane_id
         and a.object_name = old.object_name and a.provider_id = any(old.provider_ids) and a.operation_id = old.operation_id),
     emptied as (
       update outcomes o set is_kept = false, problems = null, error_texts = array(select case when t is not null then :deletedText end from unnest(o.error_texts) t)
       from old where o.project_id = old.project_id and o.operation_id = old.operation_id and o.call_number = old.call_number
         and o.fence = old.fence and o.outcome = old.outcome)
     update records r set plan = null, fingerprint = null, error_text = null
     from old
     where r.project_id = old.project_id and r.operation_id = old.operation_id and r.record_index = any(old.record_indexes)`,
    { days, limit, deletedText },
  );
  return result.rowCount;
}
