import { NotFoundError } from '@sluice/errors';
import {
  checkCreateInstallationRequest,
  type Caller,
  type Connection,
  type CreateInstallationRequest,
  type Installation,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from './context';
import { getIntegration } from './get-integration';
import { contradiction, refuseIssues } from './refuse-issues';

/** A create request with what came beside the body. */
export interface InstallationOrder {
  readonly projectId: string;
  readonly integrationId: string;
  readonly caller: Caller;
  readonly request: CreateInstallationRequest;
}

/**
 * Binds a group, an integration and a connection, with a first config.
 * @throws NotFoundError for an unknown integration or connection
 * @throws ValidationError 422 when the parts do not fit each other
 * @throws ConflictError `installation.exists`
 */
export async function createInstallation(context: ManagementContext, order: InstallationOrder): Promise<Installation> {
  const { projectId, caller, request } = order;
  refuseIssues(checkCreateInstallationRequest(request));
  const integration = await getIntegration(context, projectId, order.integrationId);
  const connection = await chooseConnection(context, order, integration);
  refuseMisfits(request, integration, connection);
  await refuseForeignRevision(context, integration, request.config.revisionId);
  const installation = await context.store.installations.create({
    projectId,
    integrationId: integration.id,
    groupRef: request.groupRef,
    connectionId: connection.id,
    createdBy: `consumer:${connection.consumer.consumerRef}`,
    config: {
      revisionId: integration.latestRevision.id,
      content: request.config.content,
      createdBy: request.config.createdBy ?? `builder:${caller.keyId}`,
    },
  });
  context.logger.info({ projectId, installationId: installation.id }, 'installation.created');
  return installation;
}

/** The named connection; without one the group's default, which is its newest to this provider. */
async function chooseConnection(
  { store }: ManagementContext,
  { projectId, request: { connectionId, groupRef } }: InstallationOrder,
  { provider }: Integration,
): Promise<Connection> {
  const connection =
    connectionId === undefined
      ? (await store.connections.list(projectId, { groupRef, provider })).at(-1)
      : await store.connections.find(projectId, connectionId);
  if (connection !== undefined) return connection;
  throw new NotFoundError({
    code: 'connection.not-found',
    detail:
      connectionId === undefined
        ? `groupRef: there is no group of this name with a connection to ${provider}.`
        : 'connectionId: there is no such connection in this project.',
    remedy: "Make the group's connection first, with POST connections:generate.",
  });
}

function refuseMisfits(request: CreateInstallationRequest, integration: Integration, connection: Connection): void {
  const code = 'installation.config-invalid';
  const { content } = request.config;
  if (connection.group.groupRef !== request.groupRef) {
    const detail = `belongs to the group ${connection.group.groupRef}, not to ${request.groupRef}`;
    throw contradiction({ code, name: 'connectionId', detail, value: connection.id });
  }
  if (connection.provider !== integration.provider) {
    const detail = `leads to ${connection.provider}, and the integration is for ${integration.provider}`;
    throw contradiction({ code, name: 'connectionId', detail, value: connection.id });
  }
  if (content.provider !== integration.provider) {
    const detail = `must be ${integration.provider}, the provider of the integration`;
    throw contradiction({ code, name: 'config.content.provider', detail, value: content.provider });
  }
}

/** A revision may be named, as the specification shows; the latest one is stored. */
async function refuseForeignRevision(
  { store }: ManagementContext,
  integration: Integration,
  revisionId: string | undefined,
): Promise<void> {
  if (revisionId === undefined) return;
  const revision = await store.integrations.findRevision(integration.projectId, revisionId);
  if (revision?.integrationId === integration.id) return;
  const detail = 'must be a revision of this integration';
  throw contradiction({ code: 'installation.config-invalid', name: 'config.revisionId', detail, value: revisionId });
}
