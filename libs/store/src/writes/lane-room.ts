import type { Knex } from 'knex';
import { column, rowSource, type Column } from '../row-source';

/** Names one lane. */
export interface LaneKey {
  readonly projectId: string;
  readonly laneId: string;
}

/** A lane, and in how many milliseconds it is worth a look. */
export interface LaneMoment extends LaneKey {
  readonly inMs: number;
}

/** A lane that may be claimed from, with its free places. */
export interface LaneRoom extends LaneKey {
  readonly room: number;
  /** The lane has a cap of its own: its account was slow or refused a call, and widens again with calls that go well. */
  readonly isNarrowed: boolean;
}

interface Places {
  readonly perLane: number;
  readonly isolated: boolean;
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
 * @param places calls at once where the lane has no cap of its own; an isolated claim has one place also in a lane that others keep full,
 *   because whoever makes it has let everything else end
 * @returns `elsewhere`: lanes that another claimer holds at this moment; `blocked`: lanes that may be asked again then; `missing`: lanes
 *   that do not exist
 */
export async function lockLanes(
  transaction: Knex.Transaction,
  lanes: readonly LaneKey[],
  places: Places,
): Promise<{ free: LaneRoom[]; elsewhere: LaneKey[]; blocked: LaneMoment[]; missing: LaneKey[] }> {
  const input = rowSource('i', laneColumns, lanes);
  const locked = await transaction.raw<{ rows: { project_id: string; id: string; blocked_ms: number }[] }>(
    `select l.project_id, l.id, greatest(0, coalesce(extract(epoch from l.blocked_until - now()), 0))::float8 * 1000 as blocked_ms
     from lanes l join ${input.sql} on l.project_id = i.project_id and l.id = i.lane_id
     order by l.project_id, l.id for update of l skip locked`,
    input.bindings as Knex.Value[],
  );
  const mine = new Map(locked.rows.map((row) => [`${row.project_id}/${row.id}`, row]));
  const open = lanes.filter((lane) => mine.get(laneIdOf(lane))?.blocked_ms === 0);
  const rooms = open.length === 0 ? [] : await countRoom(transaction, open, places);
  const others = lanes.filter((lane) => !mine.has(laneIdOf(lane)));
  const elsewhere = await findExisting(transaction, others);
  const existing = new Set(elsewhere.map(laneIdOf));
  return {
    free: rooms.filter((lane) => lane.room > 0),
    elsewhere,
    missing: others.filter((lane) => !existing.has(laneIdOf(lane))),
    blocked: lanes.flatMap((lane) => {
      const inMs = mine.get(laneIdOf(lane))?.blocked_ms ?? 0;
      return inMs > 0 ? [{ ...lane, inMs }] : [];
    }),
  };
}

/** A lane that a stale message names may be gone: it must not be asked for again. */
async function findExisting(transaction: Knex.Transaction, lanes: readonly LaneKey[]): Promise<LaneKey[]> {
  if (lanes.length === 0) return [];
  const input = rowSource('i', laneColumns, lanes);
  const result = await transaction.raw<{ rows: { project_id: string; id: string }[] }>(
    `select l.project_id, l.id from lanes l join ${input.sql} on l.project_id = i.project_id and l.id = i.lane_id`,
    input.bindings as Knex.Value[],
  );
  return result.rows.map((row) => ({ projectId: row.project_id, laneId: row.id }));
}

/**
 * A statement of its own, after the locks: it sees what the last holder of the lane committed. A call whose lease is over counts no
 * more, although its lapse is still to come: so only entries of the last lease are read, also while nothing can be vacuumed.
 */
async function countRoom(
  transaction: Knex.Transaction,
  lanes: readonly LaneKey[],
  { perLane, isolated }: Places,
): Promise<LaneRoom[]> {
  const input = rowSource('i', laneColumns, lanes);
  type Row = { project_id: string; lane_id: string; room: number; is_narrowed: boolean };
  const result = await transaction.raw<{ rows: Row[] }>(
    `select i.project_id, i.lane_id, l.cap is not null as is_narrowed,
            greatest(?::integer, least(l.cap, ?::integer) - (select count(*)::integer from calls c
              where c.project_id = i.project_id and c.lane_id = i.lane_id and c.state = 'running'
                and c.mode <> 'synchronous' and c.lease_until > now())) as room
     from ${input.sql} join lanes l on l.project_id = i.project_id and l.id = i.lane_id order by i.ord`,
    [isolated ? 1 : 0, perLane, ...input.bindings] as Knex.Value[],
  );
  return result.rows.map((row) => ({
    projectId: row.project_id,
    laneId: row.lane_id,
    room: row.room,
    isNarrowed: row.is_narrowed,
  }));
}
