import type { Operation, OperationRecord, OperationState, RecordOutcome } from '@sluice/types';
import type { Knex } from 'knex';
import { bound } from '../database';
import { preparedRowsSql, rowBindings, rowSource } from '../row-source';
import type { StoredRow } from '../table';
import { closeBatch } from '../writes/close-batch';
import { type OperationKey, operationKeyColumns } from '../writes/write-rows';
import { countOpenRecords } from './count-open-records';
import { deleteEnded } from './delete-operations';
import { explainOperation } from './explain-operation';
import { countOperations } from './count-operations';
import { listFailuresFirst } from './failures-first';
import { findByText } from './find-by-text';
import { findOpen } from './find-open';
import { findOperations } from './find-operations';
import { readHistory } from './operation-history';
import { readFailures } from './read-failures';
import { ofGroupSql, operationColumns, recordColumns, records, withOutcome, toOperation } from './operation-row';
import { readPlans } from './read-plans';
import { readProgress } from './read-progress';
import { readWaitReason } from './read-wait-reason';

/** Absent members do not filter. */
export interface RecordFilter {
  readonly ref?: string;
  readonly status?: RecordOutcome;
  /** Index of the last record of the page before. */
  readonly afterIndex?: number;
  /** Records at most. @default all: an operation holds no more than 100 */
  readonly limit?: number;
}

/** Reads, the request to cancel, and what is deleted when its time is over: the holder of a call's lease settles operations. */
export function operationStore(database: Knex) {
  return {
    /** @param withinGroupRef only if its installation exists and belongs to this group */
    find: async (projectId: string, operationId: string, withinGroupRef?: string): Promise<Operation | undefined> => {
      const { rows } = await database.raw<{ rows: StoredRow[] }>(
        `select ${operationColumns}, n.group_ref, g.group_name from operations o ${ofGroupSql}
           where o.project_id = :projectId and o.id = :operationId
           ${withinGroupRef === undefined ? '' : isOfGroup}`,
        { projectId, operationId, withinGroupRef } as never,
      );
      return rows[0] && toOperation(rows[0]);
    },
    /** In the order of the keys, which may repeat; undefined where there is none. One statement for all. */
    findMany: async (keys: readonly OperationKey[]): Promise<readonly (Operation | undefined)[]> => {
      const bindings = rowBindings(operationKeyColumns, keys) as Knex.Value[];
      // Callers poll with it, and planning it costs as much as ten of its rows: it is prepared, once per connection.
      const { rows } = await database
        .raw<{ rows: (StoredRow & { readonly ord: number })[] }>(findManySql, bindings)
        .options({ name: 'find-operations' });
      const found = Array.from<Operation | undefined>({ length: keys.length });
      for (const row of rows) found[row.ord - 1] = toOperation(row);
      return found;
    },
    /** Ids of those that have ended. One statement for all. */
    findEnded: async (keys: readonly OperationKey[]): Promise<Set<string>> => {
      const { sql, bindings } = rowSource('k', operationKeyColumns, keys);
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `select o.id from ${sql} join operations o on o.project_id = k.project_id and o.id = k.operation_id
         where o.state in ('succeeded', 'failed')`,
        bindings as Knex.Value[],
      );
      return new Set(rows.map((row) => row.id));
    },
    /** In order of index. */
    listRecords: async (
      projectId: string,
      operationId: string,
      { ref, status, afterIndex = -1, limit }: RecordFilter = {},
    ): Promise<OperationRecord[]> => {
      const { rows } = await database.raw<{ rows: StoredRow[] }>(
        `select ${recordColumns} from records r ${withOutcome}
         where r.project_id = :projectId and r.operation_id = :operationId and r.record_index > :afterIndex
           and (:ref::text is null or r.ref = :ref) and (:status::text is null or coalesce(e.outcome, 'pending') = :status)
         order by r.record_index limit :limit`,
        { projectId, operationId, afterIndex, ref: ref ?? null, status: status ?? null, limit: limit ?? null },
      );
      return rows.map(records.read);
    },
    ...bound(database, {
      search: findOperations,
      findByText,
      findOpen,
      listFailuresFirst,
      countByStatus: countOperations,
      countOpen: countOpenRecords,
      readFailures,
      readHistory,
      readPlans,
      readProgress,
      readWaitReason,
      explain: explainOperation,
      deleteEnded,
      requestCancel,
    }),
  };
}

const findManySql = `select k.ord::integer, ${operationColumns}, n.group_ref, g.group_name from ${preparedRowsSql('k', operationKeyColumns)}
  join operations o on o.project_id = k.project_id and o.id = k.operation_id ${ofGroupSql}`;

const isOfGroup = `and exists (select 1 from installations n where n.project_id = o.project_id
  and n.id = o.installation_id and n.group_ref = :withinGroupRef)`;

/** `requested`: now or before, whether or not it has ended since. */
type CancelRequest = 'requested' | 'missing' | 'synchronous' | 'ended';

/**
 * Records that an operation is to be cancelled. Who seals its batch or holds its calls acts on it. Repeating it changes nothing: the moment stays that of the first request. Order: 1. close its batch, if it is open: it takes no
 * further record from this commit on. 2. The request, which is deleted when the operation ends.
 */
async function requestCancel(database: Knex, projectId: string, operationId: string): Promise<CancelRequest> {
  const isRequested = await database.transaction(async (transaction) => {
    await closeBatch(transaction, { projectId, operationId });
    const { rowCount } = await transaction.raw<{ rowCount: number }>(
      `with requested as (update operations set cancel_requested_at = now(), updated_at = now()
         where project_id = ? and id = ? and state in ('accumulating', 'queued') and mode <> 'synchronous'
           and cancel_requested_at is null returning project_id, id)
       insert into cancels (project_id, operation_id) select project_id, id from requested`,
      [projectId, operationId],
    );
    return rowCount > 0;
  });
  if (isRequested) return 'requested';
  type Row = { state: OperationState; mode: string; cancel_requested_at: Date | null };
  const row = await database('operations')
    .where({ project_id: projectId, id: operationId })
    .first<Row | undefined>('state', 'mode', 'cancel_requested_at');
  if (row === undefined) return 'missing';
  if (row.mode === 'synchronous') return 'synchronous';
  return row.cancel_requested_at === null ? 'ended' : 'requested';
}
