import type { Knex } from 'knex';
import type { LaneKey } from './lane-room';
import { connectionIsUsable } from './take-calls';

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

/**
 * A lane with a call that crashed an executor twice and may run now: it waits until somebody has nothing else to do. One that is held
 * back, by its lane or its connection, would make that somebody wait for nothing.
 */
export async function findIsolated(database: Knex): Promise<LaneKey | undefined> {
  const result = await database.raw<{ rows: { project_id: string; lane_id: string }[] }>(
    `select c.project_id, c.lane_id from calls c
     where c.crash_count >= 2 and c.state in ('ready', 'in_doubt') and c.not_before <= now() and ${connectionIsUsable('c')}
       and (select coalesce(l.blocked_until, now()) <= now() from lanes l where l.project_id = c.project_id and l.id = c.lane_id)
     order by c.not_before limit 1`,
  );
  const row = result.rows[0];
  return row && { projectId: row.project_id, laneId: row.lane_id };
}
