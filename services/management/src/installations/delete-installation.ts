import type { Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { installationNotFound } from './get-installation';

/**
 * Deletes an installation, and its connection if no other installation uses it. What waits fails with "The installation was
 * deleted."; what is being sent at this moment finishes and is not tried again. What happened stays readable.
 * @throws NotFoundError `installation.not-found`, the same for one of another integration or project
 */
export async function deleteInstallation(
  context: ManagementContext,
  integration: Integration,
  installationId: string,
): Promise<void> {
  const { projectId, id: integrationId } = integration;
  const isDeleted = await context.store.installations.remove({ projectId, integrationId, installationId });
  if (!isDeleted) throw installationNotFound();
  context.logger.info({ projectId, installationId }, 'installation.deleted');
}
