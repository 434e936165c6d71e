import { limits, type Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { integrationNotFound } from './get-integration';

/** Of the installations that are deleted before the integration is tried. */
const page = { size: limits.pageSizeDefault };

/**
 * Deletes an integration after its installations, each as DELETE of an installation does: what waits fails, what is being sent
 * finishes and is not tried again. An installation that is made meanwhile is found by the next pass of the loop. If this process dies, what is
 * left is an integration with fewer installations, and the same request goes on.
 * @throws NotFoundError `integration.not-found` when somebody else has deleted it
 */
export async function deleteIntegration(context: ManagementContext, integration: Integration): Promise<void> {
  const { projectId, id: integrationId } = integration;
  const { installations, integrations } = context.store;
  for (;;) {
    for (const { id: installationId } of (await installations.listPage(projectId, { integrationId }, page)).items) {
      if (!(await installations.remove({ projectId, integrationId, installationId }))) continue;
      context.logger.info({ projectId, installationId }, 'installation.deleted');
    }
    const outcome = await integrations.remove(projectId, integrationId);
    if (outcome === 'absent') throw integrationNotFound();
    if (outcome === 'deleted') break;
  }
  context.logger.info({ projectId, integrationId }, 'integration.deleted');
}
