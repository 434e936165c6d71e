import type { Operation, OperationProgress, OperationRecord, OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import { translated } from '../translate-errors';
import { explainOperation, type OperationCourse, type RecordPage } from './explain-operation';
import { listOperations, type OperationFilter } from './list-operations';
import { readHistory, type OperationEvent } from './operation-history';
import { operationColumns, toOperation, type OperationRow } from './operation-row';
import { recordColumns, toRecord, type RecordRow } from './record-row';
import { readProgress } from './read-progress';

/** Reads, and the wish to cancel: whoever holds a call's lease settles operations. */
export interface OperationStore {
  /** @param withinGroupRef only if its installation is there and belongs to this group */
  find(projectId: string, operationId: string, withinGroupRef?: string): Promise<Operation | undefined>;
  /** In the order of the keys, which may repeat; undefined where there is none. One statement, however many are asked for. */
  findMany(keys: readonly { projectId: string; operationId: string }[]): Promise<readonly (Operation | undefined)[]>;
  /** Newest first. */
  list(projectId: string, filter: OperationFilter): Promise<Operation[]>;
  /** Ids of those that have ended. One statement, however many are asked for. */
  findEnded(keys: readonly { projectId: string; operationId: string }[]): Promise<Set<string>>;
  /** In order of index. */
  listRecords(projectId: string, operationId: string, filter?: RecordFilter): Promise<OperationRecord[]>;
  /** What happened to it, oldest first. */
  readHistory(projectId: string, operationId: string): Promise<OperationEvent[]>;
  /** How far it is. */
  readProgress(projectId: string, operationId: string): Promise<OperationProgress | undefined>;
  /** What happened to each of its records, and why; a page of them. */
  explain(projectId: string, operationId: string, page: RecordPage): Promise<OperationCourse | undefined>;
  /** Asks for its end; who seals its batch or holds its calls acts on it. Repeating it changes nothing. */
  requestCancel(projectId: string, operationId: string): Promise<CancelRequest>;
}

/** Absent members do not filter. */
export interface RecordFilter {
  readonly ref?: string;
  /** Index of the last record of the page before. */
  readonly afterIndex?: number;
  /** Records at most. @default all: an operation holds no more than 100 */
  readonly limit?: number;
}

interface OperationKey {
  readonly projectId: string;
  readonly operationId: string;
}

const keyColumns = [
  column<OperationKey>('project_id', 'text', (key) => key.projectId),
  column<OperationKey>('id', 'text', (key) => key.operationId),
];

export function operationStore(database: Knex): OperationStore {
  return translated<OperationStore>({
    find: async (projectId, operationId, withinGroupRef) => {
      const { rows } = await database.raw<{ rows: OperationRow[] }>(
        `select ${operationColumns} from operations o where o.project_id = :projectId and o.id = :operationId
           ${withinGroupRef === undefined ? '' : isOfGroup}`,
        { projectId, operationId, withinGroupRef } as never,
      );
      return rows[0] && toOperation(rows[0]);
    },
    findMany: async (keys) => {
      const bindings = rowBindings(keyColumns, keys);
      // Callers poll with it, and planning it costs as much as ten of its rows: the plan is kept, one per connection.
      const { rows } = await database
        .raw<{ rows: (OperationRow & { ord: number })[] }>(
          `select k.ord::integer, ${operationColumns} from ${keptRowsSql('k', keyColumns)}
           join operations o on o.project_id = k.project_id and o.id = k.id`,
          bindings as Knex.Value[],
        )
        .options({ name: 'find-operations' });
      const found = Array.from<Operation | undefined>({ length: keys.length });
      for (const row of rows) found[row.ord - 1] = toOperation(row);
      return found;
    },
    list: (projectId, filter) => listOperations(database, projectId, filter),
    findEnded: async (keys) => {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `select o.id from unnest(?::text[], ?::text[]) as k(project_id, id)
         join operations o on o.project_id = k.project_id and o.id = k.id where o.state in ('succeeded', 'failed')`,
        [keys.map((key) => key.projectId), keys.map((key) => key.operationId)] as unknown as Knex.Value[],
      );
      return new Set(rows.map((row) => row.id));
    },
    listRecords: async (projectId, operationId, { ref, afterIndex, limit } = {}) => {
      const rows = database('records')
        .where({ project_id: projectId, operation_id: operationId, ...(ref === undefined ? {} : { ref }) })
        .andWhere('record_index', '>', afterIndex ?? -1)
        .orderBy('record_index')
        .select<RecordRow[]>(...recordColumns);
      return (await (limit === undefined ? rows : rows.limit(limit))).map(toRecord);
    },
    readHistory: (projectId, operationId) => readHistory(database, projectId, operationId),
    readProgress: (projectId, operationId) => readProgress(database, projectId, operationId),
    explain: (projectId, operationId, page) => explainOperation(database, projectId, operationId, page),
    requestCancel: (projectId, operationId) => requestCancel(database, projectId, operationId),
  });
}

const isOfGroup = `and exists (select 1 from installations n where n.project_id = o.project_id
  and n.id = o.installation_id and n.group_ref = :withinGroupRef)`;

/** `requested`: now or before, whether or not it has ended since. */
type CancelRequest = 'requested' | 'missing' | 'synchronous' | 'ended';

/**
 * Writes down that an operation shall be cancelled; the moment stays that of the first wish. Its open batch takes no further
 * record from this commit on, because the join's condition says so too.
 */
async function requestCancel(database: Knex, projectId: string, operationId: string): Promise<CancelRequest> {
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `update operations set cancel_requested_at = now(), updated_at = now()
     where project_id = ? and id = ? and state in ('accumulating', 'queued') and mode <> 'synchronous'
       and cancel_requested_at is null`,
    [projectId, operationId],
  );
  if (rowCount > 0) return 'requested';
  type Row = { state: OperationState; mode: string; cancel_requested_at: Date | null };
  const row = await database('operations')
    .where({ project_id: projectId, id: operationId })
    .first<Row | undefined>('state', 'mode', 'cancel_requested_at');
  if (row === undefined) return 'missing';
  if (row.mode === 'synchronous') return 'synchronous';
  return row.cancel_requested_at === null ? 'ended' : 'requested';
}
