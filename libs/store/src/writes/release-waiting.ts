import type { Knex } from 'knex';
import { toCallKey, type CallKeyRow } from './call-key';
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
     from (select distinct on (r.project_id, r.order_key) r.project_id, r.operation_id, r.call_number
           from records r where r.project_id = any(?::text[]) and r.order_key = any(?::text[]) and r.outcome = 'pending'
           order by r.project_id, r.order_key, r.accept_seq, r.record_index) n
     join operations o on o.project_id = n.project_id and o.id = n.operation_id
     where c.project_id = n.project_id and c.operation_id = n.operation_id and c.number = n.call_number
       and c.state = 'waiting'
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
