import type { OperationState } from '@sluice/types';
import type { Knex } from 'knex';

/** `requested`: now or before, whether or not it has ended since. */
export type CancelRequest = 'requested' | 'missing' | 'synchronous' | 'ended';

/**
 * Writes down that an operation shall be cancelled; the moment stays that of the first wish. Its open batch takes no further
 * record from this commit on, because the join's condition says so too.
 */
export async function requestCancel(database: Knex, projectId: string, operationId: string): Promise<CancelRequest> {
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
