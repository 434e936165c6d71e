import type { Knex } from 'knex';
import { callKeyColumns } from './call-key';
import { column, rowSource, type Column } from './row-source';
import type { Settlement } from './settlement';

const evidenceColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('evidence', 'text', (s) => JSON.stringify(s.records)),
];

/**
 * A reply that lost its fence is not thrown away: reconciliation reads it first. If it says that something was written and the
 * call has not been sent again, the call goes back into doubt at once, under a new fence, so that nobody sends it.
 */
export async function keepEvidence(transaction: Knex.Transaction, lost: readonly Settlement[]): Promise<void> {
  const sent = lost.filter((settlement) => settlement.attempt !== undefined);
  if (sent.length === 0) return;
  const input = rowSource('i', evidenceColumns, sent);
  await transaction.raw(
    `update attempts a set late_evidence = coalesce(a.late_evidence, i.evidence), finished_at = now() from ${input.sql}
     where a.project_id = i.project_id and a.operation_id = i.operation_id and a.call_number = i.number and a.fence = i.fence`,
    input.bindings as Knex.Value[],
  );
  const written = sent.filter(({ records }) => records.some((record) => record.kind === 'succeeded'));
  if (written.length === 0) return;
  const calls = rowSource('i', callKeyColumns, written);
  await transaction.raw(
    `update calls c set state = 'in_doubt', sent_at = now(), not_before = now(), fence = c.fence + 1, owner = null,
            lease_until = null
     from ${calls.sql} where c.project_id = i.project_id and c.operation_id = i.operation_id and c.number = i.number
       and (c.state in ('ready', 'waiting') or (c.state = 'running' and c.sent_at is null))`,
    calls.bindings as Knex.Value[],
  );
}
