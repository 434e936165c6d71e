import type { Operation, OperationRecord, OperationState, Page, RecordOutcome } from '@sluice/types';
import type { Knex } from 'knex';
import { column, preparedRowsSql, rowBindings } from '../row-source';
import type { StoredRow } from '../table';
import { closeBatch } from '../writes/close-batch';
import { deleteEnded } from './delete-operations';
import { explainOperation, type RecordPage } from './explain-operation';
import { findOperations, type OperationSearch } from './find-operations';
import { readHistory, type EventPage } from './operation-history';
import { operationColumns, recordColumns, records, withOutcome, toOperation, type OperationRow } from './operation-row';
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

export interface OperationKey {
  readonly projectId: string;
  readonly operationId: string;
}

const keyColumns = [
  column<OperationKey>('project_id', 'text', (key) => key.projectId),
  column<OperationKey>('id', 'text', (key) => key.operationId),
];

/** Reads, the request to cancel, and what is deleted when its time is over: the holder of a call's lease settles operations. */
export function operationStore(database: Knex) {
  return {
    /** @param withinGroupRef only if its installation exists and belongs to this group */
    find: async (projectId: string, operationId: string, withinGroupRef?: string): Promise<Operation | undefined> => {
      const { rows } = await database.raw<{ rows: OperationRow[] }>(
        `select ${operationColumns} from operations o where o.project_id = :projectId and o.id = :operationId
           ${withinGroupRef === undefined ? '' : isOfGroup}`,
        { projectId, operationId, withinGroupRef } as never,
      );
      return rows[0] && toOperation(rows[0]);
    },
    /** In the order of the keys, which may repeat; undefined where there is none. One statement for all. */
    findMany: async (keys: readonly OperationKey[]): Promise<readonly (Operation | undefined)[]> => {
      const bindings = rowBindings(keyColumns, keys) as Knex.Value[];
      // Callers poll with it, and planning it costs as much as ten of its rows: it is prepared, once per connection.
      const { rows } = await database
        .raw<{ rows: (OperationRow & { ord: number })[] }>(findManySql, bindings)
        .options({ name: 'find-operations' });
      const found = Array.from<Operation | undefined>({ length: keys.length });
      for (const row of rows) found[row.ord - 1] = toOperation(row);
      return found;
    },
    /** Newest first, with their groups, also by what no index finds: a page may end before its size, and says how far it came. */
    search: (projectId: string, search: OperationSearch, page: Page) =>
      findOperations(database, projectId, search, page),
    /** Ids of those that have ended. One statement for all. */
    findEnded: async (keys: readonly OperationKey[]): Promise<Set<string>> => {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `select o.id from unnest(?::text[], ?::text[]) as k(project_id, id)
         join operations o on o.project_id = k.project_id and o.id = k.id where o.state in ('succeeded', 'failed')`,
        [keys.map((key) => key.projectId), keys.map((key) => key.operationId)] as unknown as Knex.Value[],
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
    /** What happened to it, oldest first; a page of it. */
    readHistory: (projectId: string, operationId: string, page: EventPage) =>
      readHistory(database, projectId, operationId, page),
    /** How far it is. */
    readProgress: (projectId: string, operationId: string) => readProgress(database, projectId, operationId),
    /** Whose it is, and what keeps it from being written. */
    readWaitReason: (projectId: string, operationId: string) => readWaitReason(database, projectId, operationId),
    /** What happened to each of its records, and why; a page of them. */
    explain: (projectId: string, operationId: string, page: RecordPage) =>
      explainOperation(database, { projectId, operationId }, page),
    /** Deletes those that ended this many days ago, with their records, outcomes and logs; returns how many. */
    deleteEnded: (days: number, limit: number) => deleteEnded(database, days, limit),
    /** Requests its end; who seals its batch or holds its calls acts on it. Repeating it changes nothing. */
    requestCancel: (projectId: string, operationId: string) => requestCancel(database, projectId, operationId),
  };
}

const findManySql = `select k.ord::integer, ${operationColumns} from ${preparedRowsSql('k', keyColumns)}
  join operations o on o.project_id = k.project_id and o.id = k.id`;

const isOfGroup = `and exists (select 1 from installations n where n.project_id = o.project_id
  and n.id = o.installation_id and n.group_ref = :withinGroupRef)`;

/** `requested`: now or before, whether or not it has ended since. */
type CancelRequest = 'requested' | 'missing' | 'synchronous' | 'ended';

/**
 * Records that an operation is to be cancelled; the moment stays that of the first request. Order: 1. close its batch, if it is open: it takes no
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
