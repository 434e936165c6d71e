import { checkCreateIntegrationRequest, type CreateIntegrationRequest, type Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnector } from '../connections/get-connector';
import { refuseIssues } from '../refuse-issues';

/** @throws ConflictError `integration.name-taken` */
export async function createIntegration(
  context: ManagementContext,
  projectId: string,
  request: CreateIntegrationRequest,
): Promise<Integration> {
  refuseIssues(checkCreateIntegrationRequest(request));
  getConnector(context, request.provider, 'provider');
  const { name, provider, latestRevision } = request;
  const integration = await context.store.integrations.create({ projectId, name, provider, ...latestRevision });
  context.logger.info({ projectId, integrationId: integration.id }, 'integration.created');
  return integration;
}
