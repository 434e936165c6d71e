import type { Knex } from 'knex';
import { callKeyColumns } from './call-key';
import { column, rowSource, type Column } from '../row-source';
import type { Settlement } from './settlement';

const evidenceColumns: Column<Settlement>[] = [
  ...callKeyColumns,
  column('fence', 'bigint', (s) => s.fence),
  column('evidence', 'text', (s) => JSON.stringify(s.records)),
];

type Written = Pick<Settlement, 'projectId' | 'operationId'> & { readonly index: number };

const writtenColumns: Column<Written>[] = [
  column('project_id', 'text', (w) => w.projectId),
  column('operation_id', 'text', (w) => w.operationId),
  column('record_index', 'integer', (w) => w.index),
];

/**
 * A reply that lost its fence is not thrown away: reconciliation reads it first. If it says that something was written, the calls
 * that hold these records now and have not been sent again go back into doubt at once, under a new fence, so that nobody sends them.
 * So does one that is being looked for: the look began without the evidence, and may end with another send. A call that is being sent
 * has an attempt of its fence.
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
  const written = sent.flatMap(({ projectId, operationId, records }) =>
    records.flatMap(({ kind, index }): Written[] => (kind === 'succeeded' ? [{ projectId, operationId, index }] : [])),
  );
  if (written.length === 0) return;
  const records = rowSource('i', writtenColumns, written);
  await transaction.raw(
    `update calls c set state = 'in_doubt', sent_at = now(), not_before = now(), fence = c.fence + 1, owner = null,
            lease_until = null
     from (select distinct r.project_id, r.operation_id, r.call_number from ${records.sql}
           join records r on r.project_id = i.project_id and r.operation_id = i.operation_id
             and r.record_index = i.record_index and r.outcome = 'pending') h
     where c.project_id = h.project_id and c.operation_id = h.operation_id and c.number = h.call_number
       and (c.state in ('ready', 'waiting') or (c.state = 'running' and (c.sent_at is null
         or not exists (select 1 from attempts a where a.project_id = c.project_id and a.operation_id = c.operation_id
                        and a.call_number = c.number and a.fence = c.fence))))`,
    records.bindings as Knex.Value[],
  );
}
