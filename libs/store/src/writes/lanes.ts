import type { Knex } from 'knex';
import { blockedMsSql } from '../connections/connection-row';
import { column, preparedRows, preparedRowsSql, rowBindings, rowSource, type Column } from '../row-source';
import { plain, table, type StoredRow } from '../table';

/** Names one lane. */
export interface LaneKey {
  readonly projectId: string;
  readonly laneId: string;
}

/** A lane, and in how many milliseconds it is worth another claim. */
export interface LaneMoment extends LaneKey {
  readonly inMs: number;
}

/** A lane that may be claimed from, with its free capacity. */
const laneCapacities = table({
  projectId: plain('project_id'),
  laneId: plain('lane_id'),
  capacity: plain<number>('capacity'),
  /** The lane has a cap of its own: its account was slow or refused a call, and widens again with calls that succeed. */
  isNarrowed: plain<boolean>('is_narrowed'),
});

export type LaneCapacity = ReturnType<typeof laneCapacities.read>;

interface Capacity {
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
 * Locks the lanes that no other process is claiming from, and counts their free capacity, in the order of `lanes`. What runs is
 * counted, never stored. Synchronous calls take no capacity: they would starve the lane's asynchronous writes.
 * @param capacity calls at once where the lane has no cap of its own. An isolated claim may take one call also in a lane that others keep full,
 * because its process has let everything else end.
 * @returns `elsewhere`: lanes that another claimer holds at this moment; `blocked`: lanes that may be claimed again then; `missing`: lanes
 * that do not exist
 */
export async function lockLanes(
  transaction: Knex.Transaction,
  lanes: readonly LaneKey[],
  capacity: Capacity,
): Promise<{ free: LaneCapacity[]; elsewhere: LaneKey[]; blocked: LaneMoment[]; missing: LaneKey[] }> {
  const input = preparedRows('i', laneColumns, lanes);
  const locking = transaction.raw<{ rows: { project_id: string; id: string; blocked_ms: number }[] }>(
    `select l.project_id, l.id, ${blockedMsSql('l')} as blocked_ms
     from lanes l join ${input.sql} on l.project_id = i.project_id and l.id = i.lane_id
     order by l.project_id, l.id for update of l skip locked`,
    input.bindings as Knex.Value[],
  );
  const { rows } = await locking.options({ name: 'lock-lanes' });
  const mine = new Map(rows.map((row) => [`${row.project_id}/${row.id}`, row]));
  const open = lanes.filter((lane) => mine.get(laneIdOf(lane))?.blocked_ms === 0);
  const counted = open.length === 0 ? [] : await countFree(transaction, open, capacity);
  const others = lanes.filter((lane) => !mine.has(laneIdOf(lane)));
  const elsewhere = await findExisting(transaction, others);
  const existing = new Set(elsewhere.map(laneIdOf));
  return {
    free: counted.filter((lane) => lane.capacity > 0),
    elsewhere,
    missing: others.filter((lane) => !existing.has(laneIdOf(lane))),
    blocked: lanes.flatMap((lane) => {
      const inMs = mine.get(laneIdOf(lane))?.blocked_ms ?? 0;
      return inMs > 0 ? [{ ...lane, inMs }] : [];
    }),
  };
}

/** A lane that a stale message names may be gone: it must not be claimed again. */
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
 * A statement of its own, after the locks: it sees what the last holder of the lane committed. A call whose lease is over does not
 * count, although its lapse is still to come: so only entries of the last lease are read, also while nothing can be vacuumed.
 */
async function countFree(
  transaction: Knex.Transaction,
  lanes: readonly LaneKey[],
  { perLane, isolated }: Capacity,
): Promise<LaneCapacity[]> {
  const input = preparedRows('i', laneColumns, lanes);
  const counting = transaction.raw<{ rows: StoredRow[] }>(
    `select i.project_id, i.lane_id, l.cap is not null as is_narrowed,
            greatest(?::integer, least(l.cap, ?::integer) - (select count(*)::integer from calls c
              where c.project_id = i.project_id and c.lane_id = i.lane_id and c.state = 'running'
                and c.mode <> 'synchronous' and c.lease_until > now())) as capacity
     from ${input.sql} join lanes l on l.project_id = i.project_id and l.id = i.lane_id order by i.ord`,
    [isolated ? 1 : 0, perLane, ...input.bindings] as Knex.Value[],
  );
  return (await counting.options({ name: 'count-free' })).rows.map(laneCapacities.read);
}

/**
 * How fast a lane is claimed from. `lanes.blocked_until` holds all of it back; `lanes.cap` is how many calls it may have at once while
 * it recovers, null when it has recovered. Both are in the row that a claim locks anyway, so that every process sees the same, and
 * neither is written while an account works.
 */

/**
 * Blocks a lane: no call of it is claimed before then, and one at a time afterwards. A shorter block never shortens a longer one.
 * @returns whether it was not blocked within the last minute, so that a lane that is blocked again and again is logged once
 */
export async function blockLane(database: Knex, lane: LaneKey, blockMs: number, error: string): Promise<boolean> {
  const { rows } = await database.raw<{ rows: { is_new: boolean }[] }>(
    `update lanes l set blocked_until = greatest(l.blocked_until, now() + make_interval(secs => ?::float8 / 1000)), cap = 1,
            last_error = ?
     from (select project_id, id, coalesce(blocked_until < now() - interval '1 minute', true) as is_new
           from lanes where project_id = ? and id = ? for update) before
     where l.project_id = before.project_id and l.id = before.id returning before.is_new`,
    [blockMs, error, lane.projectId, lane.laneId],
  );
  return rows[0]?.is_new === true;
}

/** One call at a time from now on: the account is slow. */
export async function narrowLane(database: Knex, lane: LaneKey): Promise<void> {
  await database.raw(`update lanes set cap = 1 where project_id = ? and id = ? and cap is distinct from 1`, [
    lane.projectId,
    lane.laneId,
  ]);
}

/**
 * Twice as many calls at once, up to `perLane`, where the cap ends. Nothing changes while the lane is blocked: the successful call was
 * sent before the one that was refused.
 */
export async function widenLane(database: Knex, lane: LaneKey, perLane: number): Promise<void> {
  await database.raw(
    `update lanes set cap = case when cap * 2 < ?::integer then cap * 2 end
     where project_id = ? and id = ? and cap is not null and (blocked_until is null or blocked_until <= now())`,
    [perLane, lane.projectId, lane.laneId],
  );
}

const laneKeyColumns = [
  column<LaneKey>('project_id', 'text', (lane) => lane.projectId),
  column<LaneKey>('id', 'text', (lane) => lane.laneId),
];

const readBlocksSql = `
  select i.ord, ${blockedMsSql('l')} as block_ms
  from ${preparedRowsSql('i', laneKeyColumns)} join lanes l on l.project_id = i.project_id and l.id = i.id`;

/** How long each lane stays blocked, in milliseconds, in their order; 0 when it is not. */
export async function readLaneBlocks(database: Knex, lanes: readonly LaneKey[]): Promise<number[]> {
  const bindings = rowBindings(laneKeyColumns, lanes) as Knex.Value[];
  // It precedes every synchronous call: it is prepared, once per connection of the pool.
  const result = await database
    .raw<{ rows: { ord: string; block_ms: number }[] }>(readBlocksSql, bindings)
    .options({ name: 'read-lane-blocks' });
  const blocks = lanes.map(() => 0);
  for (const { ord, block_ms } of result.rows) blocks[Number(ord) - 1] = block_ms;
  return blocks;
}
