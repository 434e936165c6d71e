import type { Knex } from 'knex';
import { column, rowSource, type Column } from './row-source';

/** Names one lane. */
export interface LaneKey {
  readonly projectId: string;
  readonly laneId: string;
}

/** A lane that may be claimed from, with its free places. */
export interface LaneRoom extends LaneKey {
  readonly room: number;
}

export const laneColumns: readonly Column<LaneKey>[] = [
  column('project_id', 'text', (lane) => lane.projectId),
  column('lane_id', 'text', (lane) => lane.laneId),
];

/** Identifies a lane in a set. */
export function laneIdOf(lane: LaneKey): string {
  return `${lane.projectId}/${lane.laneId}`;
}

/**
 * Locks the lanes that nobody else is claiming from, and counts their free places, in the order of `lanes`. What runs is
 * counted, never stored. Synchronous calls take no place: they would starve the lane's asynchronous writes.
 * `elsewhere`: lanes that another claimer holds at this moment.
 */
export async function lockLanes(
  transaction: Knex.Transaction,
  lanes: readonly LaneKey[],
): Promise<{ free: LaneRoom[]; elsewhere: LaneKey[] }> {
  const input = rowSource('i', laneColumns, lanes);
  const locked = await transaction.raw<{ rows: { project_id: string; id: string; is_blocked: boolean }[] }>(
    `select l.project_id, l.id, coalesce(l.blocked_until > now(), false) as is_blocked
     from lanes l join ${input.sql} on l.project_id = i.project_id and l.id = i.lane_id
     order by l.project_id, l.id for update of l skip locked`,
    input.bindings as Knex.Value[],
  );
  const mine = new Map(locked.rows.map((row) => [`${row.project_id}/${row.id}`, row]));
  const open = lanes.filter((lane) => mine.get(laneIdOf(lane))?.is_blocked === false);
  const rooms = open.length === 0 ? [] : await countRoom(transaction, open);
  return { free: rooms.filter((lane) => lane.room > 0), elsewhere: lanes.filter((lane) => !mine.has(laneIdOf(lane))) };
}

/** A statement of its own, after the locks: it sees what the last holder of the lane committed. */
async function countRoom(transaction: Knex.Transaction, lanes: readonly LaneKey[]): Promise<LaneRoom[]> {
  const input = rowSource('i', laneColumns, lanes);
  const result = await transaction.raw<{ rows: { project_id: string; lane_id: string; room: number }[] }>(
    `select i.project_id, i.lane_id, l.cap - (select count(*)::integer from calls c
              where c.project_id = i.project_id and c.lane_id = i.lane_id and c.state = 'running'
                and c.mode <> 'synchronous') as room
     from ${input.sql} join lanes l on l.project_id = i.project_id and l.id = i.lane_id order by i.ord`,
    input.bindings as Knex.Value[],
  );
  return result.rows.map((row) => ({ projectId: row.project_id, laneId: row.lane_id, room: row.room }));
}
