import type { Knex } from 'knex';
import { column, rowSource, type Column } from '../row-source';

/** A create whose reply named a provider record that another create has claimed. */
export interface Contested {
  readonly project_id: string;
  readonly operation_id: string;
  readonly record_index: number;
  readonly provider_id: string;
}

const contestedColumns: Column<Contested>[] = [
  column('project_id', 'text', (row) => row.project_id),
  column('operation_id', 'text', (row) => row.operation_id),
  column('record_index', 'integer', (row) => row.record_index),
  column('provider_id', 'text', (row) => row.provider_id),
];

/** Pause before an adopter looks again. */
const lookAgainMs = 1_000;

/**
 * A provider record belongs to the create whose reply named it. One that had only adopted it goes back into doubt, in the same
 * transaction, also when its operation has ended: its success was not true. Who was named by a reply too keeps it, and a record
 * whose plan is past the retention time stays as it is. The fence grows, so that what runs meanwhile cannot settle the call.
 * Locks the adopters' rows behind the settlement's own; a deadlock that comes of it is repeated (`guard`).
 * @returns ids of the operations that are open again
 */
export async function reopenAdopters(
  transaction: Knex.Transaction,
  contested: readonly Contested[],
): Promise<Set<string>> {
  if (contested.length === 0) return new Set();
  const input = rowSource('i', contestedColumns, contested);
  const result = await transaction.raw<{ rows: { id: string }[] }>(
    `with adopters as (
       select a.project_id, a.operation_id, a.record_index, a.call_number from ${input.sql}
       join records o on o.project_id = i.project_id and o.operation_id = i.operation_id and o.record_index = i.record_index
       join records a on a.project_id = o.project_id and a.lane_id = o.lane_id and a.object_name = o.object_name
         and a.claimed_provider_id = i.provider_id
       where a.outcome = 'succeeded' and a.send_state = 'maybe' and a.plan is not null
       order by 1, 2, 3 for update of a),
     doubted as (update records r set outcome = 'pending', provider_id = null, claimed_provider_id = null, warnings = null,
              updated_at = now()
       from adopters a where r.project_id = a.project_id and r.operation_id = a.operation_id and r.record_index = a.record_index),
     standing as (select c.project_id, c.operation_id, c.number, c.state from calls c
       where (c.project_id, c.operation_id, c.number) in (select project_id, operation_id, call_number from adopters)
       order by 1, 2, 3 for update),
     moved as (update calls c set state = 'in_doubt', fence = c.fence + 1, owner = null, lease_until = null,
              sent_at = coalesce(c.sent_at, now()), not_before = now() + make_interval(secs => ?::float8 / 1000)
       from standing s where c.project_id = s.project_id and c.operation_id = s.operation_id and c.number = s.number),
     tallied as (
       select k.project_id, k.operation_id,
              (select count(*)::integer from adopters a where (a.project_id, a.operation_id) = (k.project_id, k.operation_id)) as records,
              (select count(*)::integer from standing s where (s.project_id, s.operation_id) = (k.project_id, k.operation_id)
                 and s.state in ('done', 'quarantined')) as calls
       from (select distinct project_id, operation_id from adopters) k)
     update operations o set records_succeeded = o.records_succeeded - t.records, calls_open = o.calls_open + t.calls,
            state = 'queued', result = null, updated_at = now()
     from tallied t where o.project_id = t.project_id and o.id = t.operation_id
     returning o.id`,
    [...input.bindings, lookAgainMs] as Knex.Value[],
  );
  await claimContested(transaction, contested);
  return new Set(result.rows.map((row) => row.id));
}

/** A statement of its own: it must see that the adopters have let go. */
async function claimContested(transaction: Knex.Transaction, contested: readonly Contested[]): Promise<void> {
  const input = rowSource('i', contestedColumns, contested);
  await transaction.raw(
    `update records r set claimed_provider_id = i.provider_id from ${input.sql}
     where r.project_id = i.project_id and r.operation_id = i.operation_id and r.record_index = i.record_index
       and not exists (select 1 from records o where o.project_id = r.project_id and o.lane_id = r.lane_id
                       and o.object_name = r.object_name and o.claimed_provider_id = i.provider_id)`,
    input.bindings as Knex.Value[],
  );
}
