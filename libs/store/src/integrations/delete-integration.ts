import type { Knex } from 'knex';

/** `installed`: it still has installations, which are deleted first. */
export type IntegrationDeletion = 'deleted' | 'installed' | 'absent';

/**
 * Deletes an integration that nobody has installed. Lock first, look then: an installation that is being made holds the row
 * (`holdIntegration`), and is seen by the statement after. Its name is free then. Its revisions stay: configs and operations
 * name them.
 */
export async function deleteIntegration(
  transaction: Knex.Transaction,
  projectId: string,
  integrationId: string,
): Promise<IntegrationDeletion> {
  const row = { project_id: projectId, id: integrationId };
  const locked = await transaction('integrations').where(row).forUpdate().select('id');
  if (locked.length === 0) return 'absent';
  const installed = await transaction('installations')
    .where({ project_id: projectId, integration_id: integrationId })
    .first('id');
  if (installed !== undefined) return 'installed';
  await transaction('integrations').where(row).delete();
  return 'deleted';
}
