import type { Knex } from 'knex';
import type { ClaimedCall } from './take-calls';
import type { LaneMoment } from './lanes';
import { type CallKey, callKeyColumns, deadlineSql, isInCall } from './write-rows';
import { preparedRows, rowSource } from '../row-source';

interface BlockedRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly call_number: number;
  readonly record_index: number;
  readonly is_whole: boolean;
  readonly lane_id: string;
  readonly barrier_until: Date | null;
  readonly barrier_in_ms: number | null;
}

interface BlockedRecord extends CallKey {
  readonly index: number;
}

/**
 * Keeps accept order per provider record. A record waits behind every earlier unfinished write of its order key, behind any
 * that executes at this moment, and behind a barrier. Free records continue; each blocked one moves to a call of its own that
 * waits. A call whose every record is blocked, and an `allOrNone` call, wait whole. A call in doubt does not wait.
 * The caller holds the order keys' locks, so nothing settles or starts between this check and its commit.
 */
export async function splitBlocked(
  transaction: Knex.Transaction,
  claimed: readonly ClaimedCall[],
): Promise<{ free: ClaimedCall[]; later: LaneMoment[] }> {
  // A call in doubt sends nothing now, so it waits for nothing; if it is sent again, it is checked here as a ready one.
  const sending = claimed.filter((call) => !call.isInDoubt);
  const blocked = sending.length === 0 ? [] : await findBlocked(transaction, sending);
  const rowsOf = (call: ClaimedCall): BlockedRow[] =>
    blocked.filter((row) => row.operation_id === call.operationId && row.call_number === call.number);
  const apart = sending.filter((call) => rowsOf(call).length > 0 && !isWhole(call, rowsOf(call)));
  await lockOperations(transaction, apart);
  const free: ClaimedCall[] = [];
  for (const call of claimed) {
    const rows = call.isInDoubt ? [] : rowsOf(call);
    if (rows.length > 0 && isWhole(call, rows)) await parkWhole(transaction, call, rows);
    else free.push(rows.length === 0 ? call : await moveApart(transaction, call, rows));
  }
  const later = blocked.flatMap(({ project_id: projectId, lane_id: laneId, barrier_in_ms: inMs }) =>
    inMs === null ? [] : [{ projectId, laneId, inMs }],
  );
  return { free, later };
}

function isWhole(call: ClaimedCall, rows: readonly BlockedRow[]): boolean {
  return call.allOrNone || rows[0]?.is_whole === true;
}

/** In id order, as settlements take them, so that the two never wait for each other. */
async function lockOperations(transaction: Knex.Transaction, calls: readonly ClaimedCall[]): Promise<void> {
  if (calls.length === 0) return;
  const input = rowSource('i', callKeyColumns, calls);
  await transaction.raw(
    `select 1 from operations o where (o.project_id, o.id) in (select project_id, operation_id from ${input.sql})
     order by o.project_id, o.id for update`,
    input.bindings as Knex.Value[],
  );
}

async function findBlocked(transaction: Knex.Transaction, claimed: readonly ClaimedCall[]): Promise<BlockedRow[]> {
  const input = preparedRows('i', callKeyColumns, claimed);
  const finding = transaction.raw<{ rows: BlockedRow[] }>(
    // Each record looks up its order key by itself, whatever the planner knows of how many wait: a join of all with all takes seconds.
    `with mine as materialized (
       select r.project_id, r.operation_id, r.record_index, c.lane_id, r.order_key, r.accept_seq, c.number as call_number
       from ${input.sql}
       join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}),
     blocked as materialized (
       select m.project_id, m.operation_id, m.call_number, m.record_index, m.lane_id,
         case when b.barrier_until > now() then b.barrier_until end as barrier_until
       from mine m cross join lateral (select
         (select count(*) from order_queue e
          left join calls k on k.project_id = e.project_id and k.operation_id = e.operation_id and ${isInCall('e', 'k')}
          where e.project_id = m.project_id and e.order_key = m.order_key
            and (e.operation_id, e.record_index) <> (m.operation_id, m.record_index)
            and ((e.accept_seq, e.record_index) < (m.accept_seq, m.record_index)
              or (k.state = 'running' and not exists (select 1 from mine x where x.operation_id = e.operation_id
                                                      and x.record_index = e.record_index)))) as writes,
         (select max(e.until) from barriers e where e.project_id = m.project_id and e.order_key = m.order_key
            and (e.operation_id, e.record_index) <> (m.operation_id, m.record_index)) as barrier_until) b
       where b.writes > 0 or b.barrier_until > now())
     select b.*, extract(epoch from b.barrier_until - now())::float8 * 1000 as barrier_in_ms,
            count(*) over (partition by b.project_id, b.operation_id, b.call_number) = c.records as is_whole
     from blocked b join (select project_id, operation_id, call_number, count(*) as records from mine group by 1, 2, 3) c
       using (project_id, operation_id, call_number)`,
    input.bindings as Knex.Value[],
  );
  return (await finding.options({ name: 'find-blocked' })).rows;
}

/** Behind a barrier only time helps; behind an unfinished write its settlement releases the call. */
async function parkWhole(transaction: Knex.Transaction, call: ClaimedCall, rows: readonly BlockedRow[]): Promise<void> {
  const barrier = rows.reduce<Date | null>((latest, row) => laterOf(latest, row.barrier_until), null);
  const state = barrier === null ? 'waiting' : 'ready';
  await transaction.raw(
    `update calls set state = ?, owner = null, lease_until = null, not_before = coalesce(?, not_before)
     where project_id = ? and operation_id = ? and number = ?`,
    [state, barrier, call.projectId, call.operationId, call.number] as Knex.Value[],
  );
}

async function moveApart(
  transaction: Knex.Transaction,
  call: ClaimedCall,
  rows: readonly BlockedRow[],
): Promise<ClaimedCall> {
  const { projectId, operationId } = call;
  await transaction('operations')
    .where({ project_id: projectId, id: operationId })
    .increment('calls_open', rows.length);
  const [last] = await transaction('calls')
    .where({ project_id: projectId, operation_id: operationId })
    .max<{ number: number }[]>('number as number');
  for (const [at, row] of rows.entries()) {
    const record: BlockedRecord = {
      projectId,
      operationId,
      number: (last?.number ?? 0) + 1 + at,
      index: row.record_index,
    };
    await moveRecord(transaction, call, record, row.barrier_until);
  }
  await keepOthers(
    transaction,
    call,
    rows.map((row) => row.record_index),
  );
  return call;
}

async function keepOthers(transaction: Knex.Transaction, call: ClaimedCall, moved: readonly number[]): Promise<void> {
  await transaction.raw(
    `update calls c set members = array(select r.record_index from records r where r.project_id = c.project_id
              and r.operation_id = c.operation_id and ${isInCall('r', 'c')} and r.record_index <> all(?::integer[]) order by 1)
     where c.project_id = ? and c.operation_id = ? and c.number = ?`,
    [moved, call.projectId, call.operationId, call.number] as unknown as Knex.Value[],
  );
}

async function moveRecord(
  transaction: Knex.Transaction,
  from: ClaimedCall,
  to: BlockedRecord,
  barrier: Date | null,
): Promise<void> {
  await transaction.raw(
    `insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, not_before,
                        attempts, all_or_none, traceparent, members, base_at, deadline, plan_kb)
     select c.project_id, c.operation_id, ?, c.lane_id, c.connection_id, c.object_name, c.type, c.mode, ?, coalesce(?, now()), c.attempts,
            c.all_or_none, c.traceparent, array[r.record_index], c.base_at, ${deadlineSql('r', 'c')},
            greatest(1, ceil(octet_length(r.plan) / 1000.0))
     from calls c join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and r.record_index = ?
     where c.project_id = ? and c.operation_id = ? and c.number = ?`,
    [
      to.number,
      barrier === null ? 'waiting' : 'ready',
      barrier,
      to.index,
      from.projectId,
      from.operationId,
      from.number,
    ] as Knex.Value[],
  );
}

function laterOf(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}
