import { NotFoundError } from '@sluice/errors';
import type { Knex } from 'knex';

/**
 * Sees to it that an integration stays until this transaction ends, so that no installation of a deleted one is made.
 * @throws NotFoundError `integration.not-found` when it is gone
 */
export async function holdIntegration(
  transaction: Knex.Transaction,
  projectId: string,
  integrationId: string,
): Promise<void> {
  const rows = await transaction('integrations')
    .where({ project_id: projectId, id: integrationId })
    .forKeyShare()
    .select('id');
  if (rows.length > 0) return;
  const detail = 'integrationId: there is no such integration in this project.';
  throw new NotFoundError({ code: 'integration.not-found', detail });
}
