import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { toCallKey } from './call-key';
import type { ClaimedCall, ClaimRequest } from './claim-calls';
import { laneColumns, type LaneRoom } from './lane-room';
import { column, rowSource, type Column } from './row-source';
import type { WriteMode } from './write-rows';

const roomColumns: Column<LaneRoom>[] = [...laneColumns, column('room', 'integer', (lane) => lane.room)];

interface ClaimedRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly number: number;
  readonly lane_id: string;
  readonly connection_id: string;
  readonly object_name: string;
  readonly type: WriteType;
  readonly mode: WriteMode;
  readonly all_or_none: boolean;
  readonly fence: string;
  readonly attempts: number;
  readonly crash_count: number;
  readonly was: 'ready' | 'in_doubt';
  readonly traceparent: string;
  readonly is_installed: boolean;
  readonly is_cancelled: boolean;
}

/**
 * Takes calls in the order of their moments, up to each lane's room and the request's limit. Calls of a connection that the
 * provider refuses are held back.
 */
export async function takeCalls(
  transaction: Knex.Transaction,
  request: ClaimRequest,
  lanes: readonly LaneRoom[],
): Promise<ClaimedCall[]> {
  const input = rowSource('i', roomColumns, lanes);
  const result = await transaction.raw<{ rows: ClaimedRow[] }>(
    `with picked as (
       select c.project_id, c.operation_id, c.number, c.state as was
       from ${input.sql}
       cross join lateral (
         select k.project_id, k.operation_id, k.number, k.state from calls k
         where k.project_id = i.project_id and k.lane_id = i.lane_id and k.state in ('ready', 'in_doubt')
           and k.not_before <= now() and (k.crash_count >= 2) = ?::boolean
           and not exists (select 1 from connections n where n.project_id = k.project_id and n.id = k.connection_id
                           and n.status = 'bad_credentials')
         order by k.not_before limit i.room for update skip locked) c
       order by i.ord limit ?::integer)
     update calls c set state = 'running', owner = ?, fence = c.fence + 1,
            lease_until = now() + make_interval(secs => ?::float8 / 1000)
     from picked p where c.project_id = p.project_id and c.operation_id = p.operation_id and c.number = p.number
     returning c.*, p.was, exists (
       select 1 from operations o join installations n on n.project_id = o.project_id and n.id = o.installation_id
       where o.project_id = c.project_id and o.id = c.operation_id) as is_installed,
       exists (select 1 from operations o where o.project_id = c.project_id and o.id = c.operation_id
               and o.cancel_requested_at is not null) as is_cancelled`,
    [...input.bindings, request.isolated, request.limit, request.owner, request.leaseMs] as Knex.Value[],
  );
  return result.rows.map(toClaimedCall);
}

function toClaimedCall(row: ClaimedRow): ClaimedCall {
  return {
    ...toCallKey(row),
    laneId: row.lane_id,
    connectionId: row.connection_id,
    objectName: row.object_name,
    type: row.type,
    mode: row.mode,
    allOrNone: row.all_or_none,
    fence: Number(row.fence),
    attempts: row.attempts,
    crashCount: row.crash_count,
    isInDoubt: row.was === 'in_doubt',
    traceparent: row.traceparent,
    ...(row.is_installed ? {} : { isUninstalled: true }),
    ...(row.is_cancelled ? { isCancelled: true } : {}),
  };
}
