import type { Knex } from 'knex';
import { type Column, column, preparedRows, rowSource } from '../row-source';
import type { LaneMoment } from './lanes';
import { lockOperations } from './order-queue';
import type { ClaimedCall } from './take-calls';
import { type CallKeyRow, callId, callKeyColumns, deadlineSql, isInCall, toCallKey } from './write-rows';

/** A record that has to wait, with its call. */
interface BlockedRow extends CallKeyRow {
  readonly record_index: number;
  /** Its call waits as a whole. */
  readonly is_whole: boolean;
  readonly lane_id: string;
  /** As text, because a `Date` has no microseconds. */
  readonly barrier_until: string | null;
  readonly barrier_in_ms: number | null;
}

const blockedColumns: readonly Column<BlockedRow>[] = [
  column('project_id', 'text', (row) => row.project_id),
  column('operation_id', 'text', (row) => row.operation_id),
  column('number', 'integer', (row) => row.number),
  column('record_index', 'integer', (row) => row.record_index),
  column('barrier_until', 'text', (row) => row.barrier_until),
];

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
  const [whole, apart] = [blocked.filter((row) => row.is_whole), blocked.filter((row) => !row.is_whole)];
  await moveApart(transaction, apart);
  await parkWhole(transaction, whole);
  const parked = new Set(whole.map((row) => callId(toCallKey(row))));
  return {
    free: claimed.filter((call) => !parked.has(callId(call))),
    later: blocked.flatMap(({ project_id: projectId, lane_id: laneId, barrier_in_ms: inMs }) =>
      inMs === null ? [] : [{ projectId, laneId, inMs }],
    ),
  };
}

async function findBlocked(transaction: Knex.Transaction, claimed: readonly ClaimedCall[]): Promise<BlockedRow[]> {
  const input = preparedRows('i', callKeyColumns, claimed);
  const finding = transaction.raw<{ rows: BlockedRow[] }>(
    // Each record looks up its order key by itself, whatever the planner knows of how many wait: a join of all with all takes seconds.
    `with mine as materialized (
       select r.project_id, r.operation_id, r.record_index, c.lane_id, r.order_key, r.accept_seq, c.number, c.all_or_none
       from ${input.sql}
       join calls c on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       join records r on r.project_id = c.project_id and r.operation_id = c.operation_id and ${isInCall('r', 'c')}),
     blocked as materialized (
       select m.project_id, m.operation_id, m.number, m.record_index, m.lane_id, m.all_or_none,
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
     select b.project_id, b.operation_id, b.number, b.record_index, b.lane_id, b.barrier_until::text as barrier_until,
            extract(epoch from b.barrier_until - now())::float8 * 1000 as barrier_in_ms,
            b.all_or_none or count(*) over (partition by b.project_id, b.operation_id, b.number) = c.records as is_whole
     from blocked b join (select project_id, operation_id, number, count(*) as records from mine group by 1, 2, 3) c
       using (project_id, operation_id, number)`,
    input.bindings as Knex.Value[],
  );
  return (await finding.options({ name: 'find-blocked' })).rows;
}

/** Behind a barrier only time helps; behind an unfinished write its settlement releases the call. */
async function parkWhole(transaction: Knex.Transaction, rows: readonly BlockedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const input = rowSource('i', blockedColumns, rows);
  await transaction.raw(
    `update calls c set state = case when w.until is null then 'waiting' else 'ready' end, owner = null, lease_until = null,
            not_before = coalesce(w.until, c.not_before)
     from (select project_id, operation_id, number, max(barrier_until::timestamptz) as until from ${input.sql} group by 1, 2, 3) w
     where c.project_id = w.project_id and c.operation_id = w.operation_id and c.number = w.number`,
    input.bindings as Knex.Value[],
  );
}

/** The rows of the operations are locked first: they number their calls. */
async function moveApart(transaction: Knex.Transaction, rows: readonly BlockedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await lockOperations(transaction, rows.map(toCallKey));
  const input = rowSource('i', blockedColumns, rows);
  await transaction.raw(
    `with given as materialized (
       select i.*, (select max(k.number) from calls k where k.project_id = i.project_id and k.operation_id = i.operation_id)
                   + row_number() over (partition by i.project_id, i.operation_id order by i.ord) as new_number from ${input.sql}),
     opened as (
       update operations o set calls_open = o.calls_open + g.records
       from (select project_id, operation_id, count(*)::integer as records from given group by 1, 2) g
       where o.project_id = g.project_id and o.id = g.operation_id),
     moved as (
       insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, not_before,
                          attempts, all_or_none, traceparent, members, base_at, deadline, plan_kb)
       select c.project_id, c.operation_id, g.new_number, c.lane_id, c.connection_id, c.object_name, c.type, c.mode,
              case when g.barrier_until is null then 'waiting' else 'ready' end, coalesce(g.barrier_until::timestamptz, now()),
              c.attempts, c.all_or_none, c.traceparent, array[r.record_index], c.base_at, ${deadlineSql('r', 'c')},
              greatest(1, ceil(octet_length(r.plan) / 1000.0))
       from given g
       join calls c on c.project_id = g.project_id and c.operation_id = g.operation_id and c.number = g.number
       join records r on r.project_id = g.project_id and r.operation_id = g.operation_id and r.record_index = g.record_index)
     update calls c set members = array(select r.record_index from records r where r.project_id = c.project_id
              and r.operation_id = c.operation_id and ${isInCall('r', 'c')} and r.record_index <> all(g.moved) order by 1)
     from (select project_id, operation_id, number, array_agg(record_index) as moved from given group by 1, 2, 3) g
     where c.project_id = g.project_id and c.operation_id = g.operation_id and c.number = g.number`,
    input.bindings as Knex.Value[],
  );
}
