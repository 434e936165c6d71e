import { NotFoundError } from '@sluice/errors';
import type { Knex } from 'knex';

/**
 * Sees to it that a connection stays until this transaction ends, so that an installation never names one that was deleted
 * meanwhile. Taken after the installation's row, as a deletion does.
 * @throws NotFoundError `connection.not-found` when it is gone
 */
export async function holdConnection(
  transaction: Knex.Transaction,
  projectId: string,
  connectionId: string,
): Promise<void> {
  const rows = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .forKeyShare()
    .select('id');
  if (rows.length > 0) return;
  const detail = 'connectionId: there is no such connection in this project.';
  throw new NotFoundError({ code: 'connection.not-found', detail });
}
