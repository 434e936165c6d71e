import type { Knex } from 'knex';
import type { LaneKey } from './lane-room';

/**
 * Lanes with a call that may run now. Reads `calls` only. Jumps from lane to lane over the index, so the cost grows with the
 * number of lanes that wait and not with the number of calls.
 */
export async function findReadyLanes(database: Knex): Promise<LaneKey[]> {
  const result = await database.raw<{ rows: { project_id: string; lane_id: string }[] }>(
    `with recursive waiting as (
       (select project_id, lane_id from calls where state in ('ready', 'in_doubt') order by project_id, lane_id limit 1)
       union all
       select n.project_id, n.lane_id from waiting w cross join lateral (
         select c.project_id, c.lane_id from calls c where c.state in ('ready', 'in_doubt')
           and (c.project_id, c.lane_id) > (w.project_id, w.lane_id) order by c.project_id, c.lane_id limit 1) n)
     select w.project_id, w.lane_id from waiting w
     where exists (select 1 from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
                   and c.state in ('ready', 'in_doubt') and c.not_before <= now())
       and exists (select 1 from lanes l where l.project_id = w.project_id and l.id = w.lane_id
                   and (l.blocked_until is null or l.blocked_until <= now()))`,
  );
  return result.rows.map((row) => ({ projectId: row.project_id, laneId: row.lane_id }));
}

/** Auto-batches that are full or due and still open, oldest first. */
export async function findDueBatches(
  database: Knex,
  limit: number,
): Promise<{ projectId: string; operationId: string }[]> {
  const result = await database.raw<{ rows: { project_id: string; id: string }[] }>(
    `(select project_id, id from operations where state = 'accumulating' and due_at <= now() order by due_at limit ?)
     union
     (select project_id, id from operations
      where state = 'accumulating' and (is_full or cancel_requested_at is not null) limit ?)`,
    [limit, limit],
  );
  return result.rows.map((row) => ({ projectId: row.project_id, operationId: row.id }));
}

/** Makes waiting calls ready that nothing blocks any more, and forgets barriers that have passed. Repairs lost releases. */
export async function repairOrder(database: Knex): Promise<LaneKey[]> {
  await database.raw(`update records set barrier_until = null where barrier_until <= now()`);
  const result = await database.raw<{ rows: { project_id: string; lane_id: string }[] }>(
    `update calls c set state = 'ready', not_before = c.created_at
     where c.state = 'waiting' and not exists (
       select 1 from records r join records e on e.project_id = r.project_id and e.order_key = r.order_key
       where r.project_id = c.project_id and r.operation_id = c.operation_id and r.call_number = c.number
         and r.outcome = 'pending' and e.outcome = 'pending'
         and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index))
     returning c.project_id, c.lane_id`,
  );
  return result.rows.map((row) => ({ projectId: row.project_id, laneId: row.lane_id }));
}

/** Puts a lane to sleep: no call of it is claimed before then. A shorter block never shortens a longer one. */
export async function blockLane(database: Knex, lane: LaneKey, blockMs: number, error: string): Promise<void> {
  await database.raw(
    `update lanes set blocked_until = greatest(blocked_until, now() + make_interval(secs => ?::float8 / 1000)), last_error = ?
     where project_id = ? and id = ?`,
    [blockMs, error, lane.projectId, lane.laneId],
  );
}

/** How long a lane stays blocked, in milliseconds; 0 when it is not. */
export async function readLaneBlock(database: Knex, lane: LaneKey): Promise<number> {
  const result = await database.raw<{ rows: { block_ms: number }[] }>(
    `select greatest(0, coalesce(extract(epoch from blocked_until - now()), 0))::float8 * 1000 as block_ms
     from lanes where project_id = ? and id = ?`,
    [lane.projectId, lane.laneId],
  );
  return result.rows[0]?.block_ms ?? 0;
}

/** A lane with a call that crashed an executor twice and may run now: it waits until somebody has nothing else to do. */
export async function findIsolated(database: Knex): Promise<LaneKey | undefined> {
  const result = await database.raw<{ rows: { project_id: string; lane_id: string }[] }>(
    `select project_id, lane_id from calls
     where crash_count >= 2 and state in ('ready', 'in_doubt') and not_before <= now() order by not_before limit 1`,
  );
  const row = result.rows[0];
  return row && { projectId: row.project_id, laneId: row.lane_id };
}
