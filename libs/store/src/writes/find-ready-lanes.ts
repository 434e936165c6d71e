import type { Knex } from 'knex';
import type { LaneKey } from './lanes';
import { connectionIsUsable } from './take-calls';

/** One step of a sweep that continues where its last step ended. */
export interface Page<Position> {
  /** Where the last page ended. Absent: from the beginning. */
  readonly after?: Position;
  /** Rows read, at most: what one step costs. */
  readonly limit: number;
}

/** What a step found, and where the next one continues; without `next` the sweep is complete. */
export interface Step<Found, Position> {
  readonly found: readonly Found[];
  readonly next?: Position;
}

/**
 * Lanes with a call that may run now, among the next `limit` lanes in which anything waits. Reads `calls` only, and of lanes and
 * connections whether they are held back. Jumps from lane to lane over the index, and in a lane from connection to connection, so
 * that the cost grows neither with the calls that wait nor with the lanes.
 */
export async function findReadyLanes(database: Knex, page: Page<LaneKey>): Promise<Step<LaneKey, LaneKey>> {
  const { after = { projectId: '', laneId: '' }, limit } = page;
  const result = await database.raw<{ rows: { project_id: string; lane_id: string; is_ready: boolean }[] }>(
    `with recursive ${lanesInTurn}
     select w.project_id, w.lane_id,
            coalesce((select coalesce(l.blocked_until, now()) <= now() from lanes l
                      where l.project_id = w.project_id and l.id = w.lane_id), false)
            and coalesce((${usableCallIsDue}), false) as is_ready
     from lane w order by w.position`,
    [after.projectId, after.laneId, limit],
  );
  const lanes = result.rows.map((row) => ({ projectId: row.project_id, laneId: row.lane_id }));
  const last = lanes.length < limit ? undefined : lanes.at(-1);
  return { found: lanes.filter((_, at) => result.rows[at]?.is_ready), ...(last && { next: last }) };
}

/** SQL: the lanes in which anything waits, after (project, lane), up to a limit, each with its position. Three bindings. */
export const lanesInTurn = `
  lane as (
    (select project_id, lane_id, 1 as position from calls
     where state in ('ready', 'in_doubt') and (project_id, lane_id) > (?, ?) order by project_id, lane_id limit 1)
    union all
    select n.project_id, n.lane_id, w.position + 1 from lane w cross join lateral (
      select c.project_id, c.lane_id from calls c where c.state in ('ready', 'in_doubt')
        and (c.project_id, c.lane_id) > (w.project_id, w.lane_id) order by c.project_id, c.lane_id limit 1) n
    where w.position < ?::integer)`;

/** SQL: the connections that have calls waiting in the lane `w`. */
export const connectionsInTurn = `
  line as (
    (select c.project_id, c.connection_id from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
       and c.state in ('ready', 'in_doubt') order by c.connection_id limit 1)
    union all
    select n.project_id, n.connection_id from line p cross join lateral (
      select c.project_id, c.connection_id from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
        and c.state in ('ready', 'in_doubt') and c.connection_id > p.connection_id order by c.connection_id limit 1) n)`;

/** SQL: whether a connection of the lane `w` that is not refused has a call whose moment has come. */
const usableCallIsDue = `
  with recursive ${connectionsInTurn}
  select true from line p
  where ${connectionIsUsable('p')}
    and (select true from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
           and c.connection_id = p.connection_id and c.state in ('ready', 'in_doubt') and c.not_before <= now() limit 1)
  limit 1`;
