import { providerProblemCodes } from '@sluice/errors';
import { json, noBody, route, text, type Router } from '@sluice/http';
import { connectionSchema, updateConnectionRequestSchema, type UpdateConnectionRequest } from '@sluice/types';
import { beginAuthorization } from './begin-authorization';
import type { ManagementContext } from '../context';
import { deleteConnection } from './delete-connection';
import { getConnectionOfPath } from './get-connection';
import { getProject } from '../projects/get-project';
import { openerOriginOf } from './opener-origin';
import { presentConnection } from './present-connection';
import { reconnection } from './reconnection';
import { updateConnection } from './update-connection';
import { noQuery, projectPath } from '../paths';

interface ConnectionParts {
  readonly params: { projectIdOrName: string; connectionId: string };
}

const connectionPath = `${projectPath}/connections/:connectionId`;

/** `PATCH` and `DELETE P/connections/{connectionId}`; `PATCH P/connections/{connectionId}:oauth-update`. */
export function connectionChangeRoutes(router: Router, context: ManagementContext): void {
  // Before the shorter path, which would take it too.
  router.patch(
    `${connectionPath}\\:oauth-update`,
    route<ConnectionParts>({
      operationId: 'updateOAuthConnection',
      summary: 'Let a customer connect again',
      description: 'The tokens of the same connection are replaced, when the customer chooses the same account.',
      tags: ['Connections'],
      replies: { 200: text('Where to send the browser of the customer.') },
      problems: ['connection.not-found', 'connection.scheme-mismatch'],
      scopes: ['frontend', 'token'],
      query: noQuery,
      handle: async (request) => {
        const { caller, params } = request;
        const project = await getProject(context, caller, params.projectIdOrName);
        const connection = await getConnectionOfPath(context, project.id, params.connectionId, caller);
        const order = { ...reconnection(connection), ...openerOriginOf(request.header('origin')) };
        const { url } = await beginAuthorization(context, order);
        return { text: { contentType: 'text/plain', content: url } };
      },
    }),
  );
  router.patch(
    connectionPath,
    route<ConnectionParts & { readonly body: UpdateConnectionRequest }>({
      operationId: 'updateConnection',
      summary: 'Change a connection',
      description: 'New credentials must open the same account; the provider is asked.',
      tags: ['Connections'],
      replies: { 200: json(connectionSchema) },
      problems: ['connection.not-found', 'connection.scheme-mismatch', ...providerProblemCodes],
      scopes: ['frontend', 'token'],
      query: noQuery,
      body: updateConnectionRequestSchema,
      handle: async ({ caller, params, body, traceparent }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const names = { projectId: project.id, connectionId: params.connectionId, caller };
        const updated = await updateConnection(context, { ...names, request: body, traceparent });
        return { body: presentConnection(caller, updated) };
      },
    }),
  );
  router.delete(
    connectionPath,
    route<ConnectionParts>({
      operationId: 'deleteConnection',
      summary: 'Delete a connection',
      tags: ['Connections'],
      replies: { 204: noBody('The connection and its credentials are gone.') },
      problems: ['connection.not-found', 'connection.in-use'],
      scopes: ['frontend', 'token'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        await deleteConnection(context, { projectId: project.id, connectionId: params.connectionId, caller });
        return { status: 204 };
      },
    }),
  );
}
