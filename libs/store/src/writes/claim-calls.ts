import type { Knex } from 'knex';
import { lockOrderKeys } from './lock-order-keys';
import { callKeyColumns } from './call-key';
import { laneIdOf, lockLanes, type LaneKey, type LaneMoment, type LaneRoom } from './lane-room';
import { keepPlan, unseen } from '../row-source';
import { splitBlocked } from './split-blocked';
import { takeCalls, type ClaimedCall, type ClaimRequest } from './take-calls';

/** What a claim gave, and which lanes are worth another one. */
export interface Claim {
  readonly calls: readonly ClaimedCall[];
  /** Lanes that another claimer held, or that have more calls than this claim looked at. */
  readonly again: readonly LaneKey[];
  /** Lanes that are blocked, or have a call behind a barrier, and when either ends. */
  readonly later: readonly LaneMoment[];
  /** Lanes that do not exist: whoever named them was wrong. */
  readonly missing: readonly LaneKey[];
}

/** Rounds of one claim: a lane whose first calls all stand behind others is looked at further, but not without end. */
const roundsMax = 8;

/**
 * Claims ready and in-doubt calls, going round the lanes.
 * Order: 1. lock the lanes nobody else is claiming from. 2. Take calls up to each lane's free places. 3. Lock their order keys.
 * 4. Split off records that stand behind an unfinished write to the same record. 5. From 2, while places stay free.
 */
export async function claimReady(database: Knex, request: ClaimRequest): Promise<Claim> {
  return await database.transaction(async (transaction) => {
    const { free, elsewhere, blocked, missing } = await lockLanes(transaction, request.lanes, request);
    const calls: ClaimedCall[] = [];
    const later: LaneMoment[] = [...blocked];
    let lanes = free;
    for (let round = 0; round < roundsMax && lanes.length > 0 && calls.length < request.limit; round += 1) {
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

/** Lanes that gave calls and still have room, because some of those calls had to wait. */
function lanesWithMore(
  lanes: readonly LaneRoom[],
  taken: readonly ClaimedCall[],
  free: readonly ClaimedCall[],
): LaneRoom[] {
  const count = (calls: readonly ClaimedCall[], lane: LaneKey): number =>
    calls.filter((call) => laneIdOf(call) === laneIdOf(lane)).length;
  return lanes
    .filter((lane) => count(taken, lane) > count(free, lane))
    .map((lane) => ({ ...lane, room: lane.room - count(free, lane) }))
    .filter((lane) => lane.room > 0);
}

/** The plans stay where they are: their length is known without reading them. */
async function readRecords(
  transaction: Knex.Transaction,
  taken: readonly ClaimedCall[],
): Promise<{ calls: ClaimedCall[]; orderKeys: string[] }> {
  const { source, options } = keepPlan('read-claimed', taken.length);
  const input = source('i', callKeyColumns, taken);
  const reading = transaction.raw<{ rows: { ord: string; bytes: number; order_keys: string[] | null }[] }>(
    `select i.ord, sum(octet_length(r.plan))::float8 as bytes,
            array_agg(r.order_key) filter (where r.order_key is not null) as order_keys
     from ${input.sql}
     join records r on r.project_id = i.project_id and r.operation_id = i.operation_id and r.call_number = i.number
     where r.outcome = ${unseen('pending')} group by i.ord`,
    input.bindings as Knex.Value[],
  );
  const result = await reading.options(options);
  const bytes = new Map(result.rows.map((row) => [Number(row.ord), row.bytes]));
  return {
    calls: taken.map((call, at) => ({ ...call, planBytes: bytes.get(at + 1) ?? 0 })),
    orderKeys: [...new Set(result.rows.flatMap((row) => row.order_keys ?? []))],
  };
}
