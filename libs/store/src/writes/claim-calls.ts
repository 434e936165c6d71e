import type { Knex } from 'knex';
import { lockOrderKeys } from './order-queue';
import { callKeyColumns, isInCall } from './write-rows';
import { laneIdOf, lockLanes, type LaneKey, type LaneMoment, type LaneCapacity } from './lanes';
import { planByKeys, preparedRows } from '../row-source';
import { splitBlocked } from './split-blocked';
import { takeCalls, type ClaimedCall, type ClaimRequest } from './take-calls';

/** What a claim returned, and which lanes are worth another one. */
export interface Claim {
  readonly calls: readonly ClaimedCall[];
  /** Lanes that another claimer held, or that have more calls than this claim read. */
  readonly again: readonly LaneKey[];
  /** Lanes that are blocked, or have a call behind a barrier, and when either ends. */
  readonly later: readonly LaneMoment[];
  /** Lanes that do not exist: the caller's names of them were wrong. */
  readonly missing: readonly LaneKey[];
}

/** Passes of one claim: a lane whose first calls all wait behind others is read further, but not without end. */
const passesMax = 8;

/**
 * Claims ready and in-doubt calls of the lanes in turn.
 * Order: 1. lock the lanes that no other process is claiming from. 2. Take calls up to each lane's free capacity. 3. Lock their order keys.
 * 4. Split off records that wait behind an unfinished write to the same record. 5. From 2, while capacity is left.
 */
export async function claimReady(database: Knex, request: ClaimRequest): Promise<Claim> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(planByKeys);
    const { free, elsewhere, blocked, missing } = await lockLanes(transaction, request.lanes, request);
    const calls: ClaimedCall[] = [];
    const later: LaneMoment[] = [...blocked];
    let lanes = free;
    for (let pass = 0; pass < passesMax && lanes.length > 0 && calls.length < request.limit; pass += 1) {
      const taken = await takeCalls(transaction, { ...request, limit: request.limit - calls.length }, lanes);
      const split = await keepOrder(transaction, taken);
      calls.push(...split.free);
      later.push(...split.later);
      lanes = lanesWithMore(lanes, taken, split.free);
    }
    const isCut = calls.length >= request.limit;
    return { calls, again: [...elsewhere, ...(isCut ? free : lanes)], later, missing };
  });
}

async function keepOrder(transaction: Knex.Transaction, taken: readonly ClaimedCall[]) {
  if (taken.length === 0) return { free: taken, later: [] };
  const { calls, orderKeys } = await readRecords(transaction, taken);
  if (orderKeys.length === 0) return { free: calls, later: [] };
  await lockOrderKeys(transaction, orderKeys);
  return await splitBlocked(transaction, calls);
}

/** Lanes that gave calls and still have capacity, because some of those calls had to wait. */
function lanesWithMore(
  lanes: readonly LaneCapacity[],
  taken: readonly ClaimedCall[],
  free: readonly ClaimedCall[],
): LaneCapacity[] {
  const count = (calls: readonly ClaimedCall[], lane: LaneKey): number =>
    calls.filter((call) => laneIdOf(call) === laneIdOf(lane)).length;
  return lanes
    .filter((lane) => count(taken, lane) > count(free, lane))
    .map((lane) => ({ ...lane, capacity: lane.capacity - count(free, lane) }))
    .filter((lane) => lane.capacity > 0);
}

/** Reads lengths only, not the plans. */
async function readRecords(
  transaction: Knex.Transaction,
  taken: readonly ClaimedCall[],
): Promise<{ calls: ClaimedCall[]; orderKeys: string[] }> {
  const input = preparedRows('i', callKeyColumns, taken);
  const reading = transaction.raw<{ rows: { ord: string; bytes: number; order_keys: string[] | null }[] }>(
    `select i.ord, sum(octet_length(r.plan))::float8 as bytes,
            array_agg(r.order_key) filter (where r.order_key is not null) as order_keys
     from ${input.sql}
     join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
     join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}
     group by i.ord`,
    input.bindings as Knex.Value[],
  );
  const result = await reading.options({ name: 'read-claimed' });
  const bytes = new Map(result.rows.map((row) => [Number(row.ord), row.bytes]));
  return {
    calls: taken.map((call, at) => ({ ...call, planBytes: bytes.get(at + 1) ?? 0 })),
    orderKeys: [...new Set(result.rows.flatMap((row) => row.order_keys ?? []))],
  };
}
