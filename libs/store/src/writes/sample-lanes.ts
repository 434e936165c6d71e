import type { Knex } from 'knex';
import { connectionsInTurn, lanesInTurn, type Page, type Step } from './find-ready-lanes';
import type { LaneKey } from './lanes';
import { connectionIsUsable } from './take-calls';
import { type StoredRow, optional, plain, table } from '../table';

/** A lane in which calls wait, as monitoring of the backlog shows it. */
const sampledLanes = table({
  /** The provider refused a call of its account: no call of the lane is claimed for a while. */
  isBlocked: plain<boolean>('is_blocked'),
  /** Asynchronous calls of it run at this moment. */
  isWorking: plain<boolean>('is_working'),
  /** For how long the oldest call that may be claimed could have been, in milliseconds. Absent: none may. */
  oldestMs: optional(plain<number>('oldest_ms')),
});

export type SampledLane = ReturnType<typeof sampledLanes.read>;

interface SampleRow extends StoredRow {
  readonly project_id: string;
  readonly lane_id: string;
}

/**
 * The next `limit` lanes in which something waits. Like the sweep of ready lanes, it jumps from lane to lane, and in a lane from connection to
 * connection, and reads what is next in each. Its cost grows neither with the calls that wait nor with the lanes.
 */
export async function sampleLanes(database: Knex, page: Page<LaneKey>): Promise<Step<SampledLane, LaneKey>> {
  const { after = { projectId: '', laneId: '' }, limit } = page;
  const result = await database.raw<{ rows: SampleRow[] }>(
    `with recursive ${lanesInTurn}
     select w.project_id, w.lane_id,
            coalesce((select l.blocked_until > now() from lanes l
                      where l.project_id = w.project_id and l.id = w.lane_id), false) as is_blocked,
            coalesce((select true from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
                        and c.state = 'running' and c.mode <> 'synchronous' and c.lease_until > now() limit 1), false) as is_working,
            extract(epoch from now() - (${oldestOfUsable}))::float8 * 1000 as oldest_ms
     from lane w order by w.position`,
    [after.projectId, after.laneId, limit],
  );
  const last = result.rows.length < limit ? undefined : result.rows.at(-1);
  return {
    // No call of a blocked lane may be claimed.
    found: result.rows.map((row) => sampledLanes.read(row['is_blocked'] === true ? { ...row, oldest_ms: null } : row)),
    ...(last && { next: { projectId: last.project_id, laneId: last.lane_id } }),
  };
}

/** SQL: since when the first call of the lane `w` may run, over its connections that are not refused; null before its moment. */
const oldestOfUsable = `
  with recursive ${connectionsInTurn}
  select min(f.not_before) from line p cross join lateral (
    select c.not_before from calls c where c.project_id = w.project_id and c.lane_id = w.lane_id
      and c.connection_id = p.connection_id and c.state in ('ready', 'in_doubt') order by c.not_before limit 1) f
  where f.not_before <= now() and ${connectionIsUsable('p')}`;

/** More than these are not more alarming. The table has no other limit: a call is inserted after four crashes. */
const quarantinedMax = 1_000;

/** Calls that were quarantined within the last hour, counted up to a thousand. */
export async function countQuarantined(database: Knex): Promise<number> {
  const result = await database.raw<{ rows: { quarantined: number }[] }>(
    `select count(*)::integer as quarantined from
       (select project_id from quarantine where created_at > now() - interval '1 hour' limit ?::integer) q`,
    [quarantinedMax],
  );
  return result.rows[0]?.quarantined ?? 0;
}
