import type { Knex } from 'knex';
import { type CallKey, type CallKeyRow, callId, callKeyColumns, callKeyMembers, toCallKey } from './write-rows';
import { insertUnansweredSql, markSentSql } from './record-intents';
import { type Column, column, rowSource } from '../row-source';
import { type StoredRow, plain, table } from '../table';

/** A call under a lease. */
export interface HeldCall extends CallKey {
  readonly fence: number;
}

const heldColumns: Column<HeldCall>[] = [...callKeyColumns, column('fence', 'bigint', (call) => call.fence)];

/**
 * Renews the leases of a process's calls in one statement and returns the ids (`callId`) of those renewed. Rows that a
 * settlement has locked are skipped: they need no lease any more.
 */
export async function renew(database: Knex, calls: readonly HeldCall[], leaseMs: number): Promise<Set<string>> {
  const input = rowSource('i', heldColumns, calls);
  const result = await database.raw<{ rows: CallKeyRow[] }>(
    `with mine as (
       select c.project_id, c.operation_id, c.number from calls c join ${input.sql}
         on c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number and c.fence = i.fence
       where c.state = 'running' and c.lease_until > now()
       order by c.project_id, c.operation_id, c.number for update of c skip locked)
     update calls c set lease_until = now() + make_interval(secs => ?::float8 / 1000)
     from mine m where c.project_id = m.project_id and c.operation_id = m.operation_id and c.number = m.number
     returning c.project_id, c.operation_id, c.number`,
    [...input.bindings, leaseMs] as Knex.Value[],
  );
  return new Set(result.rows.map((row) => callId(toCallKey(row))));
}

/**
 * Releases calls that were claimed and not sent: an orderly release, which is no crash. Without a delay they keep their position. They keep their
 * crash count too, because it counts sends. Otherwise a call that waits for quota in between would never be recognised as one that kills its sender
 * each time.
 */
export async function release(
  database: Knex,
  calls: readonly (HeldCall & { readonly delayMs: number; readonly isInDoubt: boolean })[],
): Promise<void> {
  const columns = [
    ...(heldColumns as Column<(typeof calls)[number]>[]),
    column<(typeof calls)[number]>('delay_ms', 'float8', (call) => call.delayMs),
    column<(typeof calls)[number]>('state', 'text', (call) => (call.isInDoubt ? 'in_doubt' : 'ready')),
  ];
  const input = rowSource('i', columns, calls);
  await database.raw(
    `update calls c set state = i.state, owner = null, lease_until = null,
            not_before = case when i.delay_ms > 0 then now() + make_interval(secs => i.delay_ms / 1000) else c.not_before end
     from ${input.sql}
     where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number and c.fence = i.fence
       and c.state = 'running' and (c.sent_at is null or i.state = 'in_doubt')`,
    input.bindings as Knex.Value[],
  );
}

/** A call whose lease ran out. */
const lapsedCalls = table({
  ...callKeyMembers,
  laneId: plain('lane_id'),
  state: plain<'ready' | 'in_doubt'>('state'),
  crashCount: plain<number>('crash_count'),
});

/**
 * Takes calls from processes that stopped renewing. One update decides from `sent_at`: sent ones are in doubt, the others
 * ready. A synchronous one is never ready, because its caller has left: it is reconciled and ends. The fence stays, because
 * the next claim raises it. They keep their position in the lane: what was under way goes before what has not begun.
 * A crash of a call that was sent before and is not being sent happened during a lookup.
 * @returns at most `limit` of them; when as many, there may be more
 */
export async function lapse(database: Knex, limit: number): Promise<ReturnType<typeof lapsedCalls.read>[]> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `with expired as (
       select * from calls where state = 'running' and lease_until < now()
       order by lease_until limit ? for update skip locked),
     lapsed as (update calls c set crash_count = c.crash_count + 1, owner = null, lease_until = null, sent_members = null, sent_fingerprints = null,
            look_crashes = c.look_crashes + case when c.sent_at is not null and c.sent_members is null then 1 else 0 end,
            state = case when c.sent_at is null and c.mode <> 'synchronous' then 'ready' else 'in_doubt' end
     from expired e where c.project_id = e.project_id and c.operation_id = e.operation_id and c.number = e.number
     returning c.project_id, c.operation_id, c.number, c.lane_id, c.state, c.crash_count),
     attempted as (${insertUnansweredSql('expired')}),
     marked as (${markSentSql('expired')})
     select project_id, operation_id, number, lane_id, state, crash_count from lapsed`,
    [limit],
  );
  return rows.map(lapsedCalls.read);
}
