import { statusOf, type OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import { healSucceededSql, turnHealth } from '../health';
import { isAwaitedSql, isWatchedSql, notifyEnded } from '../webhooks/notify';
import { column, preparedRows, type Column } from '../row-source';
import type { EndedOperation } from './settlement';

interface EndedRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly state: OperationState;
  readonly result: string;
  readonly records_failed: number;
}

interface EndingRow extends EndedRow {
  readonly installation_id: string;
  readonly is_awaited: boolean;
  /** It failed, and somebody is notified when its installation turns unhealthy. */
  readonly is_watched: boolean;
}

/** An operation after its calls are counted. `number` is that of the call where it is all of the operation. */
export interface CountedRow extends EndedRow {
  readonly number: number;
  readonly calls_open: number;
}

/** SQL of what an operation's end is computed from: counts of its records, and its first failure by index, null where there is none. */
interface EndSource {
  readonly succeeded: string;
  readonly failed: string;
  readonly firstIndex: string;
  readonly firstText: string;
}

/** How an operation `o` ends, as assignments. Success is at least one record written (specification: partial success counts), failure is none. */
function endAssignments({ succeeded, failed, firstIndex, firstText }: EndSource): string {
  return `state = case when ${succeeded} > 0 or o.records_total = 0 then 'succeeded' else 'failed' end,
            failed_at = case when ${succeeded} = 0 and o.records_total > 0 then now() end,
            result = case
              when o.records_total = 1 and ${succeeded} = 1 then format('Write completed: %s %s', o.type, o.object_name)
              when o.records_total = 1 then ${firstText}
              else format('Batch write completed (%s succeeded, %s failed)', ${succeeded}, ${failed})
                   || coalesce('. First error, record ' || ${firstIndex} || ': ' || ${firstText}, '') end`;
}

const counted: EndSource = {
  succeeded: 'o.records_succeeded',
  failed: 'o.records_failed',
  firstIndex: 'first.record_index',
  firstText: 'first.error_text',
};

/** SQL of what the settled calls `held` count, by operation. */
const tallySql = `(select project_id, operation_id, sum(calls_done)::integer as calls_done, sum(succeeded)::integer as succeeded,
      sum(failed)::integer as failed from held group by 1, 2)`;
const endingSql = endAssignments({
  succeeded: 'i.succeeded',
  failed: 'i.failed',
  firstIndex: 'i.first_index',
  firstText: 'i.first_text',
});

/**
 * SQL: subtracts the settled calls `held` from their operations, and counts the outcomes of their records.
 * @param isWhole each call is all of its operation, which ends with it
 */
export function countCallsSql(isWhole: boolean): string {
  const ending = isWhole ? `, ${endingSql}` : '';
  return `
    update operations o set calls_open = o.calls_open - ${isWhole ? 1 : 'i.calls_done'}, records_succeeded = o.records_succeeded + i.succeeded,
           records_failed = o.records_failed + i.failed, updated_at = now()${ending}
    from ${isWhole ? 'held' : tallySql} i where o.project_id = i.project_id and o.id = i.operation_id
    returning o.project_id, o.id as operation_id, ${isWhole ? 'i.number' : '0'} as number, o.calls_open, o.state, o.result,
      o.records_failed`;
}

/**
 * Ends operations without an open call, and with each the request to cancel it. Its notifications are written in the same transaction, and so is what its
 * end makes of the installation's health. Returns them by operation id.
 * A statement of its own: it must see the counts and the records' outcomes that this transaction wrote.
 */
export async function endCounted(
  transaction: Knex.Transaction,
  operations: readonly EndingKey[],
): Promise<Map<string, EndedOperation>> {
  if (operations.length === 0) return new Map();
  const input = preparedRows('k', operationColumns, operations);
  const ending = transaction.raw<{ rows: EndingRow[] }>(
    `with ended as (update operations o set updated_at = now(), ${endAssignments(counted)}
     from ${input.sql} left join lateral (
       select e.record_index, e.error_text from record_outcomes e
       where e.project_id = k.project_id and e.operation_id = k.id and e.outcome in ('failed', 'unknown')
       order by e.record_index limit 1) first on true
     where o.project_id = k.project_id and o.id = k.id and o.state = 'queued'
     returning o.project_id, o.id as operation_id, o.state, o.result, o.records_failed, o.cancel_requested_at, o.installation_id,
       ${isAwaitedSql} as is_awaited, case when o.state = 'failed' then ${isWatchedSql('o.project_id')} else false end as is_watched),
     healed as (${healSucceededSql('ended')}),
     carried_out as (delete from cancels c using ended e
       where e.cancel_requested_at is not null and c.project_id = e.project_id and c.operation_id = e.operation_id)
     select * from ended`,
    input.bindings as Knex.Value[],
  );
  const result = await ending.options({ name: 'end-operations' });
  const awaited = result.rows.filter((row) => row.is_awaited).map(toEnded);
  await notifyEnded(transaction, awaited);
  await turnHealth(
    transaction,
    result.rows.filter((row) => row.is_watched),
  );
  return new Map(result.rows.map((row) => [row.operation_id, toEnded(row)]));
}

type EndingKey = Pick<EndedRow, 'project_id' | 'operation_id'>;

const operationColumns: Column<EndingKey>[] = [
  column('project_id', 'text', (operation) => operation.project_id),
  column('id', 'text', (operation) => operation.operation_id),
];

/** An operation that ended, as Postgres returns it. */
export function toEnded(row: EndedRow): EndedOperation {
  const { project_id: projectId, operation_id: operationId, state, result, records_failed: recordsFailed } = row;
  return { projectId, operationId, status: statusOf(state), result, recordsFailed };
}
