import { nearestName } from '@sluice/config';
import type { Issue } from '@sluice/errors';
import type { ChangeableInstallation, ChangedInstallation } from '@sluice/store';
import {
  applyUpdateMask,
  authorOf,
  checkUpdateInstallationRequest,
  parseMaskPath,
  type Caller,
  type Connection,
  type Integration,
  type UpdateConfigContent,
  type UpdateInstallationRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import type { NotedInstallation } from './create-installation';
import { fieldMisfits, type FieldMisfits } from './field-misfits';
import { getConnection } from '../connections/get-connection';
import { orNotFound } from './get-installation';
import { connectionMisfits, contentMisfits, revisionMisfits, sizeMisfits } from './installation-misfits';
import { refuseContradictions, refuseIssues } from '../refuse-issues';

/** An update request with what came beside the body. */
export interface InstallationUpdate {
  readonly integration: Integration;
  readonly installationId: string;
  readonly caller: Caller;
  readonly request: UpdateInstallationRequest;
  /** The account is not asked whether it has the fields that the change names. */
  readonly skipSampling?: boolean;
  readonly traceparent: string;
}

/**
 * Changes what the mask names, and nothing else. Another content is a new config, in force for the next write or search.
 * @throws ValidationError 400 for an unknown path, 422 for what does not fit what is stored; all at once
 * @throws NotFoundError `connection.not-found`, `installation.not-found`
 */
export async function updateInstallation(
  context: ManagementContext,
  update: InstallationUpdate,
): Promise<NotedInstallation> {
  const { integration, installationId, request } = update;
  refuseIssues(checkUpdateInstallationRequest(request, nearestName));
  const connection = await maskedConnection(context, update);
  const misfits = await contentIssues(context, update);
  const { issues, warnings } = await accountMisfits(context, update, connection);
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const updated = await context.store.installations.change(key, (current) => {
    const { groupRef } = current;
    const path = 'installation.connectionId';
    const unfit = connection ? connectionMisfits(connection, { groupRef, integration }, path) : [];
    const next = revised(current, update, connection);
    const large = sizeMisfits(next.content, 'installation.config.content');
    refuseContradictions('installation.config-invalid', [...unfit, ...misfits, ...large, ...issues]);
    return next;
  });
  const installation = orNotFound(updated);
  const { id: configId } = installation.config;
  context.logger.info({ projectId: key.projectId, installationId, configId }, 'installation.updated');
  return { installation, warnings };
}

/** Asked of the account that the installation has after the change, before its row is locked; only about what the mask names. */
async function accountMisfits(
  context: ManagementContext,
  { integration, installationId, request, skipSampling = false, traceparent }: InstallationUpdate,
  masked: Connection | undefined,
): Promise<FieldMisfits> {
  const content = maskedReads(request);
  if (skipSampling || content === undefined) return { issues: [], warnings: [] };
  const { projectId, id } = integration;
  const connection =
    masked ?? orNotFound(await context.store.installations.find(projectId, id, installationId)).connection;
  const path = 'installation.config.content';
  return await fieldMisfits(context, { integration, connection, content, path, traceparent });
}

/** The read objects that the mask names; undefined when there are none. */
function maskedReads({ updateMask, installation }: UpdateInstallationRequest): UpdateConfigContent | undefined {
  const masked = new Set(
    updateMask
      .map(parseMaskPath)
      .flatMap((path) => (path?.kind === 'object' && path.action === 'read' ? [path.objectName] : [])),
  );
  const sent = Object.entries(installation.config?.content?.read?.objects ?? {});
  const named = sent.filter(([objectName]) => masked.has(objectName));
  return named.length === 0 ? undefined : { read: { objects: Object.fromEntries(named) } };
}

/** Values outside the mask are ignored, so a connection is only looked for when the mask names it. */
async function maskedConnection(context: ManagementContext, { integration, caller, request }: InstallationUpdate) {
  const { connectionId } = request.installation;
  if (connectionId === undefined || !request.updateMask.includes('connectionId')) return undefined;
  return await getConnection(context, integration.projectId, connectionId, {
    caller,
    name: 'installation.connectionId',
  });
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
  const isCreatedByAsked =
    createdBy !== undefined && request.updateMask.includes('config.createdBy') && caller.kind !== 'token';
  return {
    connectionId: connection?.id ?? current.connectionId,
    content: applyUpdateMask(current.content, request),
    createdBy: authorOf(caller, isCreatedByAsked ? createdBy : undefined),
    isCreatedByAsked,
  };
}
