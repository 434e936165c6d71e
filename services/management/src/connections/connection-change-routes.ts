import { providerProblemCodes, ConflictError } from '@sluice/errors';
import { json, noBody, text, type Router } from '@sluice/http';
import {
  connectionSchema,
  updateConnectionRequestSchema,
  type UpdateConnectionRequest,
  type Caller,
  type Connection,
} from '@sluice/types';
import type { ConnectionKey } from '@sluice/store';
import type { ManagementContext } from '../context';
import { projectPath } from '../paths';
import { contradiction } from '../refuse-issues';
import { beginAuthorization, type AuthorizationOrder } from './begin-authorization';
import { getConnectionOfPath, connectionNotFound } from './get-connection';
import { openerOriginOf } from './opener-origin';
import { presentConnection } from './present-connection';
import { updateConnection } from './update-connection';
import { projectRoute } from '../projects/project-route';

interface ConnectionParts {
  readonly params: { projectIdOrName: string; connectionId: string };
}

const connectionPath = `${projectPath}/connections/:connectionId`;

/** `PATCH` and `DELETE P/connections/{connectionId}`; `PATCH P/connections/{connectionId}:oauth-update`. */
export function connectionChangeRoutes(router: Router, context: ManagementContext): void {
  // Before the shorter path, which would take it too.
  router.patch(
    `${connectionPath}\\:oauth-update`,
    projectRoute<ConnectionParts>(context, {
      operationId: 'updateOAuthConnection',
      summary: 'Let a customer connect again',
      description: 'The tokens of the same connection are replaced, when the customer chooses the same account.',
      tags: ['Connections'],
      replies: { 200: text('Where to send the browser of the customer.') },
      problems: ['connection.not-found', 'connection.scheme-mismatch'],
      scopes: ['frontend', 'token'],
      handle: async (request, project) => {
        const { caller, params } = request;
        const connection = await getConnectionOfPath(context, project.id, params.connectionId, caller);
        const order = { ...reconnection(connection), ...openerOriginOf(request.header('origin')) };
        const { url } = await beginAuthorization(context, order);
        return { text: { contentType: 'text/plain', content: url } };
      },
    }),
  );
  router.patch(
    connectionPath,
    projectRoute<ConnectionParts & { readonly body: UpdateConnectionRequest }>(context, {
      operationId: 'updateConnection',
      summary: 'Change a connection',
      description: 'New credentials must open the same account; the provider is asked.',
      tags: ['Connections'],
      replies: { 200: json(connectionSchema) },
      problems: ['connection.not-found', 'connection.scheme-mismatch', ...providerProblemCodes],
      scopes: ['frontend', 'token'],
      body: updateConnectionRequestSchema,
      handle: async ({ caller, params, body, traceparent }, project) => {
        const names = { projectId: project.id, connectionId: params.connectionId, caller };
        const updated = await updateConnection(context, { ...names, request: body, traceparent });
        return { body: presentConnection(caller, updated) };
      },
    }),
  );
  router.delete(
    connectionPath,
    projectRoute<ConnectionParts>(context, {
      operationId: 'deleteConnection',
      summary: 'Delete a connection',
      tags: ['Connections'],
      replies: { 204: noBody('The connection and its credentials are gone.') },
      problems: ['connection.not-found', 'connection.in-use'],
      scopes: ['frontend', 'token'],
      handle: async ({ caller, params }, project) => {
        await deleteConnection(context, { projectId: project.id, connectionId: params.connectionId, caller });
        return { status: 204 };
      },
    }),
  );
}

/**
 * Forgets a connection and its credentials. At the provider nothing changes: the customer takes the access back there.
 * @throws ConflictError `connection.in-use`, naming an installation that uses it
 */
async function deleteConnection(
  context: ManagementContext,
  key: ConnectionKey & { readonly caller: Caller },
): Promise<void> {
  const { store, logger } = context;
  await getConnectionOfPath(context, key.projectId, key.connectionId, key.caller);
  const removal = await store.connections.remove(key);
  if (removal === undefined) throw connectionNotFound();
  if ('usedBy' in removal) {
    throw new ConflictError({
      code: 'connection.in-use',
      detail: `The installation ${removal.usedBy} uses the connection ${key.connectionId}.`,
    });
  }
  logger.info({ projectId: key.projectId, connectionId: key.connectionId }, 'connection.deleted');
}

/**
 * The authorization that gives a connection new tokens, at the place that its metadata names.
 * @throws ValidationError 422 for a connection whose tokens do not come from a customer's page
 */
function reconnection(connection: Connection): AuthorizationOrder {
  const { authScheme, providerWorkspaceRef: workspaceRef, providerMetadata, providerApp } = connection;
  if (!authScheme.startsWith('oauth2/authorizationCode')) {
    throw contradiction({
      code: 'connection.scheme-mismatch',
      name: 'connectionId',
      detail: `names a connection of ${authScheme}, which no customer's page gives tokens for`,
      remedy: 'Send new credentials with PATCH connections/{id}.',
    });
  }
  return {
    projectId: connection.projectId,
    provider: connection.provider,
    groupRef: connection.group.groupRef,
    consumerRef: connection.consumer.consumerRef,
    connectionId: connection.id,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
    ...(providerApp === undefined ? {} : { providerAppId: providerApp.id }),
  };
}
