import type { WriteType } from '@sluice/types';
import type { Knex } from 'knex';
import { lockOrderKeys } from './lock-order-keys';
import { callKeyColumns, toCallKey } from './call-key';
import { column, rowSource, type Column } from './row-source';
import { splitBlocked } from './split-blocked';
import type { CallKey, WriteMode } from './write-rows';

/** Names one lane. */
export interface LaneKey {
  readonly projectId: string;
  readonly laneId: string;
}

/** A call under lease: who holds its fence may send and settle it. Its plans are loaded just before it is sent. */
export interface ClaimedCall extends CallKey, LaneKey {
  readonly connectionId: string;
  readonly objectName: string;
  readonly type: WriteType;
  readonly mode: WriteMode;
  readonly allOrNone: boolean;
  readonly fence: number;
  /** Sends made so far. */
  readonly attempts: number;
  readonly crashCount: number;
  /** Sent before, outcome not known: reconcile, do not send. */
  readonly isInDoubt: boolean;
  readonly traceparent: string;
}

export interface ClaimRequest {
  /** Names the process in `calls.owner`. */
  readonly owner: string;
  /** The lanes to claim from, most patient first. */
  readonly lanes: readonly LaneKey[];
  /** Calls at most, over all lanes. */
  readonly limit: number;
  /** Calls at most of one lane, whatever its cap. */
  readonly perLane: number;
  readonly leaseMs: number;
  /** True: only calls that crashed an executor twice; the caller runs one of them alone. */
  readonly isolated: boolean;
}

interface LaneRoom extends LaneKey {
  readonly room: number;
}

const laneColumns: Column<LaneKey>[] = [
  column('project_id', 'text', (lane) => lane.projectId),
  column('lane_id', 'text', (lane) => lane.laneId),
];
const roomColumns: Column<LaneRoom>[] = [...laneColumns, column('room', 'integer', (lane) => lane.room)];

/**
 * Claims ready and in-doubt calls, going round the lanes.
 * Order: 1. lock the lanes nobody else is claiming from; what runs there is counted, never stored. 2. Take calls up to each
 * lane's cap. 3. Lock their order keys. 4. Split off records that stand behind an unfinished write to the same record.
 */
export async function claimReady(database: Knex, request: ClaimRequest): Promise<ClaimedCall[]> {
  return await database.transaction(async (transaction) => {
    const lanes = await lockLanes(transaction, request.lanes);
    if (lanes.length === 0) return [];
    const claimed = await takeCalls(transaction, request, lanes);
    if (claimed.length === 0) return [];
    const orderKeys = await readOrderKeys(transaction, claimed);
    if (orderKeys.length === 0) return claimed;
    await lockOrderKeys(transaction, orderKeys);
    return await splitBlocked(transaction, claimed);
  });
}

async function lockLanes(transaction: Knex.Transaction, lanes: readonly LaneKey[]): Promise<LaneRoom[]> {
  const input = rowSource('i', laneColumns, lanes);
  const locked = await transaction.raw<{ rows: { project_id: string; id: string }[] }>(
    `select l.project_id, l.id from lanes l join ${input.sql} on l.project_id = i.project_id and l.id = i.lane_id
     where l.blocked_until is null or l.blocked_until <= now()
     order by l.project_id, l.id for update of l skip locked`,
    input.bindings as Knex.Value[],
  );
  if (locked.rows.length === 0) return [];
  const order = new Map(lanes.map((lane, at) => [`${lane.projectId}/${lane.laneId}`, at]));
  const rooms = await countRoom(
    transaction,
    locked.rows.map((row) => ({ projectId: row.project_id, laneId: row.id })),
  );
  const place = (lane: LaneKey): number => order.get(`${lane.projectId}/${lane.laneId}`) ?? 0;
  return rooms.filter((lane) => lane.room > 0).sort((a, b) => place(a) - place(b));
}

/** A statement of its own, after the locks: it sees what the last holder of the lane committed. */
async function countRoom(transaction: Knex.Transaction, lanes: readonly LaneKey[]): Promise<LaneRoom[]> {
  const input = rowSource('i', laneColumns, lanes);
  const result = await transaction.raw<{ rows: { project_id: string; lane_id: string; room: number }[] }>(
    `select i.project_id, i.lane_id, l.cap - (select count(*)::integer from calls c
              where c.project_id = i.project_id and c.lane_id = i.lane_id and c.state = 'running') as room
     from ${input.sql} join lanes l on l.project_id = i.project_id and l.id = i.lane_id`,
    input.bindings as Knex.Value[],
  );
  return result.rows.map((row) => ({ projectId: row.project_id, laneId: row.lane_id, room: row.room }));
}

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
}

async function takeCalls(
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
         order by k.not_before limit least(i.room, ?::integer) for update skip locked) c
       order by i.ord limit ?::integer)
     update calls c set state = 'running', owner = ?, fence = c.fence + 1,
            lease_until = now() + make_interval(secs => ?::float8 / 1000)
     from picked p where c.project_id = p.project_id and c.operation_id = p.operation_id and c.number = p.number
     returning c.*, p.was`,
    [
      ...input.bindings,
      request.isolated,
      request.perLane,
      request.limit,
      request.owner,
      request.leaseMs,
    ] as Knex.Value[],
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
  };
}

async function readOrderKeys(transaction: Knex.Transaction, claimed: readonly ClaimedCall[]): Promise<string[]> {
  const input = rowSource('i', callKeyColumns, claimed);
  const result = await transaction.raw<{ rows: { order_key: string }[] }>(
    `select distinct r.order_key from ${input.sql}
     join records r on r.project_id = i.project_id and r.operation_id = i.operation_id and r.call_number = i.number
     where r.order_key is not null and r.outcome = 'pending'`,
    input.bindings as Knex.Value[],
  );
  return result.rows.map((row) => row.order_key);
}
