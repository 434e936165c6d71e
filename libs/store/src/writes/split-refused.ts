import type { Knex } from 'knex';
import { type CallKey, callId, callKeyColumns, membersText } from './write-rows';
import { type Column, column, rowSource } from '../row-source';
import type { Settlement } from './settlement';

/** One part of a call that continues as a call of its own. */
interface Part extends CallKey {
  readonly indexes: readonly number[];
  readonly owner: string | undefined;
  readonly leaseMs: number | undefined;
}

const partColumns: Column<Part>[] = [
  ...callKeyColumns,
  column('members', 'text', (part) => membersText(part.indexes)),
  column('owner', 'text', (part) => part.owner),
  column('lease_ms', 'float8', (part) => part.leaseMs),
];

/**
 * Opens the calls that split settlements continue as. A part keeps its call's lane, connection, position in
 * the lane (in sequence) and count of retries: the refusal was no retry. Crash counts restart at 0, because the call had an outcome.
 * The caller has locked the operations' rows, which number their calls, and has settled the calls and counted the parts.
 * @returns by the id of the split call, in the order of its parts
 */
export async function splitRefused(
  transaction: Knex.Transaction,
  held: readonly Settlement[],
): Promise<Map<string, CallKey[]>> {
  const opened = new Map<string, CallKey[]>();
  const parts = held.flatMap(partsOf);
  if (parts.length === 0) return opened;
  const numbers = await openParts(transaction, parts);
  for (const [at, { projectId, operationId, number }] of parts.entries()) {
    const id = callId({ projectId, operationId, number });
    opened.set(id, [...(opened.get(id) ?? []), { projectId, operationId, number: numbers[at] as number }]);
  }
  return opened;
}

function partsOf({ projectId, operationId, number, next }: Settlement): Part[] {
  if (next.state !== 'split') return [];
  const { owner, leaseMs } = next.lease ?? {};
  return next.parts.map((indexes) => ({ projectId, operationId, number, indexes, owner, leaseMs }));
}

/** Their numbers, in the order of `parts`. A lease begins when its row is written: the transaction may have waited for its locks. */
async function openParts(transaction: Knex.Transaction, parts: readonly Part[]): Promise<number[]> {
  const given = rowSource('i', partColumns, parts);
  const result = await transaction.raw<{ rows: { part_number: number }[] }>(
    `with numbered as materialized (
       select i.*, ((select max(k.number) from calls k where k.project_id = i.project_id and k.operation_id = i.operation_id)
                    + row_number() over (partition by i.project_id, i.operation_id order by i.ord))::integer as part_number
       from ${given.sql}),
     opened as (
       insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, not_before,
                          attempts, fence, owner, lease_until, all_or_none, traceparent, members, base_at, deadline, plan_kb)
       select c.project_id, c.operation_id, n.part_number, c.lane_id, c.connection_id, c.object_name, c.type, c.mode,
              case when n.owner is null then 'ready' else 'running' end,
              c.created_at + n.ord * interval '1 microsecond', greatest(0, c.attempts - 1),
              case when n.owner is null then 0 else 1 end, n.owner,
              clock_timestamp() + make_interval(secs => n.lease_ms / 1000),
              c.all_or_none, c.traceparent, n.members::integer[], c.base_at, c.deadline,
              greatest(1, c.plan_kb / count(*) over (partition by c.project_id, c.operation_id, c.number))
       from numbered n join calls c on c.project_id = n.project_id and c.operation_id = n.operation_id and c.number = n.number)
     select part_number from numbered order by ord`,
    given.bindings as Knex.Value[],
  );
  return result.rows.map((row) => row.part_number);
}
