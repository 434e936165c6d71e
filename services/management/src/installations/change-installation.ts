import { nearestName } from '@sluice/config';
import { ConflictError, type Issue } from '@sluice/errors';
import { offByDefault, queryOf, type RouteRequest } from '@sluice/http';
import type { ChangeableInstallation, ChangedInstallation, InstallationKey } from '@sluice/store';
import {
  applyUpdateMask,
  authorOf,
  checkCreateInstallationRequest,
  checkUpdateInstallationRequest,
  parseMaskPath,
  type Caller,
  type Connection,
  type CreateInstallationRequest,
  type Described,
  type Installation,
  type Integration,
  type UpdateConfigContent,
  type UpdateInstallationRequest,
} from '@sluice/types';
import { getConnection, getDefaultConnection } from '../connections/get-connection';
import type { ManagementContext } from '../context';
import { found, refuseIssues } from '../refusals';
import { connectionIssues, contentIssues, fieldIssues, nothingAsked, revisionIssues, sizeIssues } from './check-config';
import { getInstallation } from './get-installation';

/** `skipSampling=true`: the account is not asked whether it has the fields that a config names. Source: published API. */
export const samplingQuery = queryOf({ skipSampling: offByDefault });
/** With `skipSampling` the account is not asked whether it has the fields that the config names. */
export type Sampled<Body, More = object> = Pick<
  RouteRequest<{ body: Body; query: { readonly skipSampling?: boolean } & More }>,
  'caller' | 'body' | 'query' | 'traceparent'
>;

/** What a change of a config may ask for, so that of two people who change one config at once the second is refused. */
export const changeProperties = {
  ifConfigId: { type: 'string', minLength: 1, description: 'Only while this config is in force.' },
} as const;
export type ChangeQuery = Described<{ readonly type: 'object'; readonly properties: typeof changeProperties }>;

/**
 * Binds a group, an integration and a connection, with a first config.
 * @returns with ends of sentences for `Sluice-Warning`
 * @throws NotFoundError `connection.not-found`, `integration.not-found`
 * @throws ValidationError 422 when the parts do not fit each other; all at once
 * @throws ConflictError `installation.exists`
 */
export async function createInstallation(
  context: ManagementContext,
  integration: Integration,
  { caller, query, body, traceparent }: Sampled<CreateInstallationRequest>,
) {
  const { projectId } = integration;
  const { groupRef, connectionId, config } = body;
  refuseIssues([
    ...checkCreateInstallationRequest(body),
    ...authorIssues(caller, config.createdBy, 'config.createdBy'),
  ]);
  const connection =
    connectionId === undefined
      ? await getDefaultConnection(context, projectId, { groupRef, provider: integration.provider })
      : await getConnection(context, projectId, connectionId, { caller, name: 'connectionId' });
  const unfit = connectionIssues(connection, { groupRef, integration }, 'connectionId');
  const check = { integration, connection, content: config.content, path: 'config.content', traceparent };
  // The account of a connection that does not fit has nothing to say.
  const { issues, warnings } =
    query.skipSampling || unfit.length > 0 ? nothingAsked : await fieldIssues(context, check);
  const contradicting = [
    ...unfit,
    ...contentIssues(context, integration, config.content, 'config.content'),
    ...(await revisionIssues(context, integration, config.revisionId, 'config.revisionId')),
    ...issues,
  ];
  refuseIssues(contradicting, 'installation.config-invalid');
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

/**
 * Changes what the mask names, and nothing else. Another content is a new config, in force for the next write or search.
 * @throws ValidationError 400 for an unknown path, 422 for what does not fit what is stored; all at once
 * @throws NotFoundError `connection.not-found`, `installation.not-found`
 * @throws ConflictError `config.superseded`
 */
export async function updateInstallation(
  context: ManagementContext,
  integration: Integration,
  key: InstallationKey,
  { caller, body, query, traceparent }: Sampled<UpdateInstallationRequest, ChangeQuery>,
) {
  const { content = {}, revisionId, createdBy } = body.installation.config ?? {};
  const author = body.updateMask.includes('config.createdBy') ? createdBy : undefined;
  refuseIssues([
    ...checkUpdateInstallationRequest(body, nearestName),
    ...authorIssues(caller, author, 'installation.config.createdBy'),
  ]);
  const { connectionId } = body.installation;
  // Values outside the mask are ignored.
  const connection =
    connectionId === undefined || !body.updateMask.includes('connectionId')
      ? undefined
      : await getConnection(context, key.projectId, connectionId, { caller, name: 'installation.connectionId' });
  const contradicting = [
    ...contentIssues(context, integration, content, 'installation.config.content'),
    ...(await revisionIssues(context, integration, revisionId, 'installation.config.revisionId')),
  ];
  // Asked of the account that the installation has after the change, before its row is locked; only about what the mask names.
  const reads = query.skipSampling ? undefined : maskedReads(body);
  const { issues, warnings } =
    reads === undefined
      ? nothingAsked
      : await fieldIssues(context, {
          integration,
          connection:
            connection ?? (await getInstallation(context, integration, key.installationId, caller)).connection,
          content: reads,
          path: 'installation.config.content',
          traceparent,
        });
  const installation = await changeInstallation(context, key, (current) => {
    const { groupRef } = current;
    refuseSuperseded(current, query);
    const path = 'installation.connectionId';
    const unfit = connection ? connectionIssues(connection, { groupRef, integration }, path) : [];
    const next = revised(current, caller, body, connection);
    const large = sizeIssues(next.content, 'installation.config.content');
    refuseIssues([...unfit, ...contradicting, ...large, ...issues], 'installation.config-invalid');
    return next;
  });
  return { installation, warnings };
}

/** A person cannot name another author. A token's value is ignored instead of refused: the published browser client sends one. */
function authorIssues(caller: Caller, asked: string | undefined, path: string): Issue[] {
  const own = authorOf(caller);
  if (caller.kind !== 'person' || asked === undefined || asked === own) return [];
  const detail = `must be left out, or be ${own}: a person writes no config for another`;
  return [{ in: 'body', name: path, detail, value: asked }];
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

function revised(
  current: ChangeableInstallation,
  caller: Caller,
  request: UpdateInstallationRequest,
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

/** @throws ConflictError `config.superseded` when another config is in force than the caller decided on */
export function refuseSuperseded({ configId }: ChangeableInstallation, { ifConfigId }: ChangeQuery): void {
  if (ifConfigId === undefined || ifConfigId === configId) return;
  const detail = `ifConfigId: the config ${configId} is in force, and not ${ifConfigId}: somebody changed it meanwhile.`;
  throw new ConflictError({ code: 'config.superseded', detail });
}

/**
 * Changes an installation under its row lock. Another content is a new config, in force for the next write or search.
 * @param restored id of the config whose content comes back
 * @throws NotFoundError `installation.not-found`; what `change` throws leaves everything as it was
 */
export async function changeInstallation(
  { logger, store }: ManagementContext,
  key: InstallationKey,
  change: (current: ChangeableInstallation) => ChangedInstallation,
  restored?: string,
): Promise<Installation> {
  const installation = found(await store.installations.change(key, change), 'installation.not-found');
  const { projectId, installationId } = key;
  logger.info({ projectId, installationId, configId: installation.config.id, restored }, 'installation.updated');
  return installation;
}
