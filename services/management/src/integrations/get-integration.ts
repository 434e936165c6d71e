import { NotFoundError } from '@sluice/errors';
import type { Integration } from '@sluice/types';
import type { ManagementContext } from '../context';

/** @throws NotFoundError `integration.not-found`, the same for another project's integration */
export async function getIntegration(
  { store }: ManagementContext,
  projectId: string,
  idOrName: string,
): Promise<Integration> {
  const integration = await store.integrations.find(projectId, idOrName);
  if (integration !== undefined) return integration;
  throw integrationNotFound();
}

export function integrationNotFound(): NotFoundError {
  return new NotFoundError({
    code: 'integration.not-found',
    detail: 'integrationId: there is no such integration in this project.',
  });
}
