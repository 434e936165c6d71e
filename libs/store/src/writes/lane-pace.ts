import type { Knex } from 'knex';
import type { LaneKey } from './lane-room';
import { column, keptRowsSql, rowBindings } from '../row-source';

/**
 * How fast a lane is claimed from. `lanes.blocked_until` holds all of it back; `lanes.cap` is how many calls it may have at once while
 * it recovers, null when it has recovered. Both stand in the row that a claim locks anyway, so that every process sees the same, and
 * neither is written while an account is well.
 */

/**
 * Puts a lane to sleep: no call of it is claimed before then, and one at a time afterwards. A shorter block never shortens a longer one.
 */
export async function blockLane(database: Knex, lane: LaneKey, blockMs: number, error: string): Promise<void> {
  await database.raw(
    `update lanes set blocked_until = greatest(blocked_until, now() + make_interval(secs => ?::float8 / 1000)), cap = 1,
            last_error = ?
     where project_id = ? and id = ?`,
    [blockMs, error, lane.projectId, lane.laneId],
  );
}

/** One call at a time from now on: the account is slow. */
export async function narrowLane(database: Knex, lane: LaneKey): Promise<void> {
  await database.raw(`update lanes set cap = 1 where project_id = ? and id = ? and cap is distinct from 1`, [
    lane.projectId,
    lane.laneId,
  ]);
}

/**
 * Twice as many calls at once, up to `perLane`, where the cap ends. Nothing while the lane is blocked: the call that went well was
 * sent before the one that was refused.
 */
export async function widenLane(database: Knex, lane: LaneKey, perLane: number): Promise<void> {
  await database.raw(
    `update lanes set cap = case when cap * 2 < ?::integer then cap * 2 end
     where project_id = ? and id = ? and cap is not null and (blocked_until is null or blocked_until <= now())`,
    [perLane, lane.projectId, lane.laneId],
  );
}

const laneColumns = [
  column<LaneKey>('project_id', 'text', (lane) => lane.projectId),
  column<LaneKey>('id', 'text', (lane) => lane.laneId),
];

const readBlocksSql = `
  select i.ord, greatest(0, coalesce(extract(epoch from l.blocked_until - now()), 0))::float8 * 1000 as block_ms
  from ${keptRowsSql('i', laneColumns)} join lanes l on l.project_id = i.project_id and l.id = i.id`;

/** How long each lane stays blocked, in milliseconds, in their order; 0 when it is not. */
export async function readLaneBlocks(database: Knex, lanes: readonly LaneKey[]): Promise<number[]> {
  const bindings = rowBindings(laneColumns, lanes) as Knex.Value[];
  // Before every call that somebody waits for: the plan is kept, one per connection of the pool.
  const result = await database
    .raw<{ rows: { ord: string; block_ms: number }[] }>(readBlocksSql, bindings)
    .options({ name: 'read-lane-blocks' });
  const blocks = lanes.map(() => 0);
  for (const { ord, block_ms } of result.rows) blocks[Number(ord) - 1] = block_ms;
  return blocks;
}
