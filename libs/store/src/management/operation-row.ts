import { statusOf, type Operation, type OperationState } from '@sluice/types';

export interface OperationRow {
  readonly project_id: string;
  readonly id: string;
  readonly integration_id: string;
  readonly installation_id: string;
  readonly config_id: string;
  readonly object_name: string;
  readonly state: OperationState;
  readonly result: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly attempts: number | null;
  readonly last_attempt_at: Date | null;
  readonly succeeded_ids: string[] | null;
}

/** The columns of `OperationRow`, of rows that stand as `o`. */
export const operationColumns = `
  o.project_id, o.id, o.integration_id, o.installation_id, o.config_id, o.object_name, o.state, o.result, o.created_at, o.updated_at,
  (select max(c.attempts) from calls c where c.project_id = o.project_id and c.operation_id = o.id) as attempts,
  (select max(a.sent_at) from attempts a where a.project_id = o.project_id and a.operation_id = o.id) as last_attempt_at,
  (select array_agg(r.provider_id order by r.record_index) from records r
    where r.project_id = o.project_id and r.operation_id = o.id
      and r.outcome = 'succeeded' and r.provider_id is not null) as succeeded_ids`;

export function toOperation(row: OperationRow): Operation {
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
