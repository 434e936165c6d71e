import type { Knex } from 'knex';
import type { Page, Step } from './find-ready-lanes';
import type { LaneKey } from './lane-room';
import type { CallKey } from './write-rows';

/** A waiting call, and where the next step of the repair goes on after it. */
export type WaitingCall = CallKey & LaneKey;

interface WaitingRow {
  readonly project_id: string;
  readonly lane_id: string;
  readonly operation_id: string;
  readonly number: number;
  readonly is_free: boolean;
}

const beginning: WaitingCall = { projectId: '', laneId: '', operationId: '', number: 0 };

/**
 * Forgets barriers that have passed, and makes calls ready that nothing blocks any more, among the next `limit` waiting ones. Repairs
 * lost releases: a settlement releases what waits behind it, so this finds nothing as a rule.
 */
export async function repairOrder(database: Knex, page: Page<WaitingCall>): Promise<Step<LaneKey, WaitingCall>> {
  await forgetBarriers(database, page.limit);
  const { projectId, laneId, operationId, number } = page.after ?? beginning;
  const result = await database.raw<{ rows: WaitingRow[] }>(
    `with looked_at as (
       select c.project_id, c.lane_id, c.operation_id, c.number,
              (select 1 from records r join records e on e.project_id = r.project_id and e.order_key = r.order_key
               where r.project_id = c.project_id and r.operation_id = c.operation_id and r.call_number = c.number
                 and r.outcome = 'pending' and e.outcome = 'pending'
                 and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index) limit 1) is null as is_free
       from (select project_id, lane_id, operation_id, number from calls
             where state = 'waiting' and (project_id, lane_id, operation_id, number) > (?, ?, ?, ?::integer)
             order by project_id, lane_id, operation_id, number limit ?) c),
     freed as (update calls c set state = 'ready', not_before = c.created_at from looked_at w
       where w.is_free and c.project_id = w.project_id and c.operation_id = w.operation_id and c.number = w.number
         and c.state = 'waiting')
     select * from looked_at order by project_id, lane_id, operation_id, number`,
    [projectId, laneId, operationId, number, page.limit],
  );
  const calls = result.rows.map(toWaitingCall);
  const last = calls.length < page.limit ? undefined : calls.at(-1);
  return { found: calls.filter((_, at) => result.rows[at]?.is_free), ...(last && { next: last }) };
}

async function forgetBarriers(database: Knex, limit: number): Promise<void> {
  await database.raw(
    `update records r set barrier_until = null
     from (select project_id, operation_id, record_index from records where barrier_until <= now()
           order by barrier_until limit ? for update skip locked) p
     where r.project_id = p.project_id and r.operation_id = p.operation_id and r.record_index = p.record_index`,
    [limit],
  );
}

function toWaitingCall(row: WaitingRow): WaitingCall {
  return { projectId: row.project_id, laneId: row.lane_id, operationId: row.operation_id, number: row.number };
}
