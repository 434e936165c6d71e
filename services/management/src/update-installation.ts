import type { Issue } from '@sluice/errors';
import { nearestName } from '@sluice/http';
import type { ChangeableInstallation, ChangedInstallation } from '@sluice/store';
import {
  applyUpdateMask,
  checkUpdateInstallationRequest,
  type Caller,
  type Connection,
  type Installation,
  type Integration,
  type UpdateInstallationRequest,
} from '@sluice/types';
import type { ManagementContext } from './context';
import { getConnection } from './get-connection';
import { orNotFound } from './get-installation';
import { connectionMisfits, contentMisfits, revisionMisfits, sizeMisfits } from './installation-misfits';
import { refuseContradictions, refuseIssues } from './refuse-issues';

/** An update request with what came beside the body. */
export interface InstallationUpdate {
  readonly integration: Integration;
  readonly installationId: string;
  readonly caller: Caller;
  readonly request: UpdateInstallationRequest;
}

/**
 * Changes what the mask names, and nothing else. Another content is a new config, in force for the next write or search.
 * @throws ValidationError 400 for an unknown path, 422 for what does not fit what is stored; all at once
 * @throws NotFoundError `connection.not-found`, `installation.not-found`
 */
export async function updateInstallation(
  context: ManagementContext,
  update: InstallationUpdate,
): Promise<Installation> {
  const { integration, installationId, request } = update;
  refuseIssues(checkUpdateInstallationRequest(request, nearestName));
  const connection = await maskedConnection(context, update);
  const misfits = await contentIssues(context, update);
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const updated = await context.store.installations.change(key, (current) => {
    const { groupRef } = current;
    const path = 'installation.connectionId';
    const unfit = connection ? connectionMisfits(connection, { groupRef, integration }, path) : [];
    const next = revised(current, update, connection);
    const large = sizeMisfits(next.content, 'installation.config.content');
    refuseContradictions('installation.config-invalid', [...unfit, ...misfits, ...large]);
    return next;
  });
  const installation = orNotFound(updated);
  const { id: configId } = installation.config;
  context.logger.info({ projectId: key.projectId, installationId, configId }, 'installation.updated');
  return installation;
}

/** Values outside the mask are ignored, so a connection is only looked for when the mask names it. */
async function maskedConnection(context: ManagementContext, { integration, request }: InstallationUpdate) {
  const { connectionId } = request.installation;
  if (connectionId === undefined || !request.updateMask.includes('connectionId')) return undefined;
  return await getConnection(context, integration.projectId, connectionId, 'installation.connectionId');
}

async function contentIssues(
  context: ManagementContext,
  { integration, request }: InstallationUpdate,
): Promise<Issue[]> {
  const { content = {}, revisionId } = request.installation.config ?? {};
  return [
    ...contentMisfits(context, integration, content, 'installation.config.content'),
    ...(await revisionMisfits(context, integration, revisionId, 'installation.config.revisionId')),
  ];
}

function revised(
  current: ChangeableInstallation,
  { caller, request }: InstallationUpdate,
  connection: Connection | undefined,
): ChangedInstallation {
  const { createdBy } = request.installation.config ?? {};
  const isCreatedByAsked = createdBy !== undefined && request.updateMask.includes('config.createdBy');
  return {
    connectionId: connection?.id ?? current.connectionId,
    content: applyUpdateMask(current.content, request),
    createdBy: isCreatedByAsked ? createdBy : `builder:${caller.keyId}`,
    isCreatedByAsked,
  };
}
