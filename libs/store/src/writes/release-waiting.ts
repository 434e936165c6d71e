import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, isInCall, toCallKey } from './write-rows';
import type { Page, Step } from './find-ready-lanes';
import type { LaneKey } from './lanes';
import { hiddenFromPlanner } from '../row-source';
import type { ReleasedCall, Settlement } from './settlement';

/** Waiting calls whose blocked record is now the first unfinished write of its order key. */
export async function releaseWaiting(
  transaction: Knex.Transaction,
  held: readonly Pick<Settlement, 'projectId' | 'orderKeys'>[],
): Promise<ReleasedCall[]> {
  const orderKeys = held.flatMap((settlement) => settlement.orderKeys);
  if (orderKeys.length === 0) return [];
  const result = await transaction.raw<{ rows: ReleasedRow[] }>(
    `update calls c set state = 'ready', not_before = c.created_at
     from (select distinct on (r.project_id, r.order_key) r.project_id, r.operation_id, r.record_index
           from records r where r.project_id = any(?::text[]) and r.order_key = any(?::text[]) and r.holds_order
           order by r.project_id, r.order_key, r.accept_seq, r.record_index) n
     join operations o on o.project_id = n.project_id and o.id = n.operation_id
     where c.project_id = n.project_id and c.operation_id = n.operation_id and ${isInCall('n', 'c')}
       and c.state = ${hiddenFromPlanner('waiting')}
     returning c.project_id, c.operation_id, c.number, c.lane_id, c.object_name, c.type, c.traceparent, o.installation_id`,
    [[...new Set(held.map((settlement) => settlement.projectId))], orderKeys] as unknown as Knex.Value[],
  );
  return result.rows.map((row) => ({
    ...toCallKey(row),
    laneId: row.lane_id,
    installationId: row.installation_id,
    objectName: row.object_name,
    type: row.type,
    traceparent: row.traceparent,
  }));
}

type ReleasedRow = CallKeyRow & {
  readonly lane_id: string;
  readonly installation_id: string;
  readonly object_name: string;
  readonly type: ReleasedCall['type'];
  readonly traceparent: string;
};

/** A waiting call, after which the next step of the repair continues. */
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
 * Removes barriers that have passed, and makes calls ready that nothing blocks any more, among the next `limit` waiting ones. Repairs
 * lost releases: a settlement releases what waits behind it, so this finds nothing as a rule.
 */
export async function repairOrder(database: Knex, page: Page<WaitingCall>): Promise<Step<LaneKey, WaitingCall>> {
  await removeBarriers(database, page.limit);
  const { projectId, laneId, operationId, number } = page.after ?? beginning;
  const result = await database.raw<{ rows: WaitingRow[] }>(
    `with examined as (
       select c.project_id, c.lane_id, c.operation_id, c.number,
              (select 1 from records r
               where r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
                 and (select 1 from records e where e.project_id = r.project_id and e.order_key = r.order_key and e.holds_order
                      and (e.accept_seq, e.record_index) < (r.accept_seq, r.record_index) limit 1) is not null limit 1) is null as is_free
       from (select project_id, lane_id, operation_id, number, members from calls
             where state = 'waiting' and (project_id, lane_id, operation_id, number) > (?, ?, ?, ?::integer)
             order by project_id, lane_id, operation_id, number limit ?) c),
     freed as (update calls c set state = 'ready', not_before = c.created_at from examined w
       where w.is_free and c.project_id = w.project_id and c.operation_id = w.operation_id and c.number = w.number
         and c.state = ${hiddenFromPlanner('waiting')})
     select * from examined order by project_id, lane_id, operation_id, number`,
    [projectId, laneId, operationId, number, page.limit],
  );
  const calls = result.rows.map(toWaitingCall);
  const last = calls.length < page.limit ? undefined : calls.at(-1);
  return { found: calls.filter((_, at) => result.rows[at]?.is_free), ...(last && { next: last }) };
}

async function removeBarriers(database: Knex, limit: number): Promise<void> {
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
