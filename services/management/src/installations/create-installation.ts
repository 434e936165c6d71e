import {
  authorOf,
  checkCreateInstallationRequest,
  type Caller,
  type CreateInstallationRequest,
  type Installation,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { fieldMisfits } from './field-misfits';
import { getConnection, getDefaultConnection } from '../connections/get-connection';
import { connectionMisfits, contentMisfits, revisionMisfits } from './installation-misfits';
import { refuseContradictions, refuseIssues } from '../refuse-issues';

/** A create request with what came beside the body. */
export interface InstallationOrder {
  readonly integration: Integration;
  readonly caller: Caller;
  readonly request: CreateInstallationRequest;
  /** The account is not asked whether it has the fields that the config names. */
  readonly skipSampling?: boolean;
  readonly traceparent: string;
}

/** An installation with what should be known about it. */
export interface NotedInstallation {
  readonly installation: Installation;
  /** Ends of sentences for `Sluice-Warning`. */
  readonly warnings: readonly string[];
}

/**
 * Binds a group, an integration and a connection, with a first config.
 * @throws NotFoundError `connection.not-found`, `integration.not-found`
 * @throws ValidationError 422 when the parts do not fit each other; all misfits at once
 * @throws ConflictError `installation.exists`
 */
export async function createInstallation(
  context: ManagementContext,
  order: InstallationOrder,
): Promise<NotedInstallation> {
  const { integration, caller, request, skipSampling = false, traceparent } = order;
  const { projectId } = integration;
  const { groupRef, connectionId, config } = request;
  refuseIssues(checkCreateInstallationRequest(request));
  const connection =
    connectionId === undefined
      ? await getDefaultConnection(context, projectId, { groupRef, provider: integration.provider })
      : await getConnection(context, projectId, connectionId, { caller, name: 'connectionId' });
  const unfit = connectionMisfits(connection, { groupRef, integration }, 'connectionId');
  const check = { integration, connection, content: config.content, path: 'config.content', traceparent };
  // The account of a connection that does not fit has nothing to say.
  const { issues, warnings } =
    skipSampling || unfit.length > 0 ? { issues: [], warnings: [] } : await fieldMisfits(context, check);
  refuseContradictions('installation.config-invalid', [
    ...unfit,
    ...contentMisfits(context, integration, config.content, 'config.content'),
    ...(await revisionMisfits(context, integration, config.revisionId, 'config.revisionId')),
    ...issues,
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
      createdBy: authorOf(caller, config.createdBy),
    },
  });
  context.logger.info({ projectId, installationId: installation.id }, 'installation.created');
  return { installation, warnings };
}
