import { statusOf, type Operation, type OperationRecord, type OperationState, type RecordOutcome } from '@sluice/types';
import type { Knex } from 'knex';
import { translated } from './translate-errors';

/** Reads only: whoever holds a call's lease settles operations. */
export interface OperationStore {
  find(projectId: string, operationId: string): Promise<Operation | undefined>;
  /** Ids of those that have ended. One statement, however many are asked for. */
  findEnded(keys: readonly { projectId: string; operationId: string }[]): Promise<Set<string>>;
  /** In order of index, at most 100: an operation holds no more. `ref` filters. */
  listRecords(projectId: string, operationId: string, ref?: string): Promise<OperationRecord[]>;
}

interface OperationRow {
  project_id: string;
  id: string;
  integration_id: string;
  installation_id: string;
  config_id: string;
  object_name: string;
  state: OperationState;
  result: string | null;
  created_at: Date;
  updated_at: Date;
  attempts: number | null;
  last_attempt_at: Date | null;
  succeeded_ids: string[] | null;
}

interface RecordRow {
  project_id: string;
  operation_id: string;
  record_index: number;
  ref: string | null;
  outcome: RecordOutcome;
  provider_id: string | null;
  error_class: NonNullable<OperationRecord['error']>['class'] | null;
  error_text: string | null;
  warnings: string[] | null;
}

const findSql = `
  select o.*,
    (select max(c.attempts) from calls c
      where c.project_id = o.project_id and c.operation_id = o.id) as attempts,
    (select max(a.sent_at) from attempts a
      where a.project_id = o.project_id and a.operation_id = o.id) as last_attempt_at,
    (select array_agg(r.provider_id order by r.record_index) from records r
      where r.project_id = o.project_id and r.operation_id = o.id
        and r.outcome = 'succeeded' and r.provider_id is not null) as succeeded_ids
  from operations o
  where o.project_id = :projectId and o.id = :operationId`;

export function operationStore(database: Knex): OperationStore {
  return translated<OperationStore>({
    find: async (projectId, operationId) => {
      const { rows } = await database.raw<{ rows: OperationRow[] }>(findSql, { projectId, operationId });
      return rows[0] && toOperation(rows[0]);
    },
    findEnded: async (keys) => {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(
        `select o.id from unnest(?::text[], ?::text[]) as k(project_id, id)
         join operations o on o.project_id = k.project_id and o.id = k.id where o.state in ('succeeded', 'failed')`,
        [keys.map((key) => key.projectId), keys.map((key) => key.operationId)] as unknown as Knex.Value[],
      );
      return new Set(rows.map((row) => row.id));
    },
    listRecords: async (projectId, operationId, ref) => {
      const filter = ref === undefined ? {} : { ref };
      const rows = await database<RecordRow>('records')
        .where({ project_id: projectId, operation_id: operationId, ...filter })
        .orderBy('record_index')
        .select('record_index', 'ref', 'outcome', 'provider_id', 'error_class', 'error_text', 'warnings');
      return rows.map(toRecord);
    },
  });
}

function toOperation(row: OperationRow): Operation {
  return {
    id: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    installationId: row.installation_id,
    configId: row.config_id,
    actionType: 'write',
    status: statusOf(row.state),
    ...(row.result === null ? {} : { result: row.result }),
    createTime: row.created_at.toISOString(),
    updateTime: row.updated_at.toISOString(),
    resource: row.object_name,
    metadata: {
      objects: [row.object_name],
      ...(row.attempts === null ? {} : { retry: toRetry(row.attempts, row.last_attempt_at) }),
      ...(row.succeeded_ids === null ? {} : { successfulRecordIds: row.succeeded_ids }),
    },
  };
}

function toRetry(attempts: number, lastAttemptAt: Date | null) {
  return { attempts, ...(lastAttemptAt === null ? {} : { lastAttempt: lastAttemptAt.toISOString() }) };
}

function toRecord(row: Omit<RecordRow, 'project_id' | 'operation_id'>): OperationRecord {
  return {
    index: row.record_index,
    ...(row.ref === null ? {} : { ref: row.ref }),
    status: row.outcome,
    ...(row.provider_id === null ? {} : { recordId: row.provider_id }),
    ...(row.error_class === null ? {} : { error: { class: row.error_class, message: row.error_text ?? '' } }),
    ...(row.warnings === null || row.warnings.length === 0 ? {} : { warnings: row.warnings }),
  };
}
