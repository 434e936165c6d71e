import {
  checkCreateInstallationRequest,
  type Caller,
  type CreateInstallationRequest,
  type Installation,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from './context';
import { getConnection, getDefaultConnection } from './get-connection';
import { connectionMisfits, contentMisfits, revisionMisfits } from './installation-misfits';
import { refuseContradictions, refuseIssues } from './refuse-issues';

/** A create request with what came beside the body. */
export interface InstallationOrder {
  readonly integration: Integration;
  readonly caller: Caller;
  readonly request: CreateInstallationRequest;
}

/**
 * Binds a group, an integration and a connection, with a first config.
 * @throws NotFoundError `connection.not-found`
 * @throws ValidationError 422 when the parts do not fit each other; all misfits at once
 * @throws ConflictError `installation.exists`
 */
export async function createInstallation(context: ManagementContext, order: InstallationOrder): Promise<Installation> {
  const { integration, caller, request } = order;
  const { projectId } = integration;
  const { groupRef, connectionId, config } = request;
  refuseIssues(checkCreateInstallationRequest(request));
  const connection =
    connectionId === undefined
      ? await getDefaultConnection(context, projectId, { groupRef, provider: integration.provider })
      : await getConnection(context, projectId, connectionId, 'connectionId');
  refuseContradictions('installation.config-invalid', [
    ...connectionMisfits(connection, { groupRef, integration }, 'connectionId'),
    ...contentMisfits(context, integration, config.content, 'config.content'),
    ...(await revisionMisfits(context, integration, config.revisionId, 'config.revisionId')),
  ]);
  const installation = await context.store.installations.create({
    projectId,
    integrationId: integration.id,
    groupRef,
    connectionId: connection.id,
    createdBy: `consumer:${connection.consumer.consumerRef}`,
    config: {
      revisionId: integration.latestRevision.id,
      content: config.content,
      createdBy: config.createdBy ?? `builder:${caller.keyId}`,
    },
  });
  context.logger.info({ projectId, installationId: installation.id }, 'installation.created');
  return installation;
}
