import { ConflictError, providerProblemCodes } from '@sluice/errors';
import { filterText, json, noBody, offByDefault, queryOf, scopeCheck, text, type Router } from '@sluice/http';
import type { ConnectionKey } from '@sluice/store';
import {
  connectionSchema,
  generateConnectionRequestSchema,
  reachOf,
  updateConnectionRequestSchema,
} from '@sluice/types';
import type { Caller, Connection, Credentials, Described, LiveCredentials } from '@sluice/types';
import type { ManagementContext } from '../context';
import { wholeList, wholeListOf } from '../pages';
import { routesOfProject } from '../projects/get-project';
import { assertConsumer, notFound } from '../refusals';
import { beginAuthorization, consentUrl, reconnection } from './begin-authorization';
import { generateConnection, updateConnection } from './change-connection';
import { getConnection, presentConnection } from './get-connection';
import { openerOriginOf } from './oauth-routes';

/** What a caller wants to see of a connection. Source: published API, get connection. */
const viewQuery = queryOf({
  /** The access token with its scopes, or the API key. */
  includeCreds: offByDefault,
  /** The refresh token too; includes the credentials. */
  includeRefreshToken: offByDefault,
  /** `force`: a new access token now. `ifExpired`: when the stored one is at its end. */
  refresh: { type: 'string', enum: ['force', 'ifExpired'] },
});
type ConnectionView = Described<typeof viewQuery>;

/** Who may see secrets. */
const checkFull = scopeCheck(['full']);

/** `GET P/connections`, `POST P/connections:generate`, `GET P/connections/{connectionId}`. Secrets are shown on request, one connection at a time. */
export function connectionRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'Connections', ['frontend', 'read', 'token']);
  ofProject.get('/connections', 'listConnections', {
    summary: 'List connections',
    ...wholeListOf(connectionSchema, { provider: filterText, groupRef: filterText, consumerRef: filterText }),
    handle: (request, { id }) => {
      const filter = { ...request.query, ...reachOf(request.caller) };
      return wholeList(request, (page) => context.store.connections.listPage(id, filter, page), presentConnection);
    },
  });
  ofProject.post('/connections\\:generate', 'generateConnection', {
    summary: 'Make a connection from credentials',
    description:
      'Where an installation uses a connection of the same group, consumer, provider and account, that connection is given the credentials, and is the reply.',
    replies: { 201: json(connectionSchema) },
    problems: [
      'group.not-found',
      'provider.unknown',
      'connection.scheme-mismatch',
      'provider-app.not-found',
      ...providerProblemCodes,
    ],
    scopes: ['frontend', 'token'],
    body: generateConnectionRequestSchema,
    answer: async ({ caller, body, traceparent }, { id }) => {
      assertConsumer(caller, body);
      const connection = await generateConnection(context, id, body, { traceparent });
      return presentConnection(caller, connection);
    },
  });
  ofProject.get('/connections/:connectionId', 'getConnection', {
    summary: 'Get a connection',
    description: 'Secrets are shown, and tokens are refreshed, for keys with the scope full only.',
    replies: { 200: json(connectionSchema) },
    problems: ['connection.not-found', ...providerProblemCodes],
    query: viewQuery,
    admit: ({ caller, query }) => {
      if (isPrivileged(query)) checkFull(caller);
    },
    answer: async ({ caller, params: { connectionId }, query }, { id: projectId }) => {
      const connection = await showConnection(context, { projectId, connectionId }, caller, query);
      return presentConnection(caller, connection);
    },
  });
}

export function connectionChangeRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'Connections', ['frontend', 'token']);
  const ofConnection = ofProject.under('/connections/:connectionId', {
    find: ({ caller, params }, { id }) => getConnection(context, id, params.connectionId, { caller }),
  });
  // Before the shorter path, which would take it too.
  ofConnection.patch('\\:oauth-update', 'updateOAuthConnection', {
    summary: 'Let a customer connect again',
    description: 'The tokens of the same connection are replaced, when the customer chooses the same account.',
    replies: { 200: text('Where to send the browser of the customer.', consentUrl) },
    problems: ['connection.not-found', 'connection.scheme-mismatch'],
    handle: async (request, connection) => {
      const order = { ...reconnection(context, connection), openerOrigin: openerOriginOf(request.header('origin')) };
      const { url } = await beginAuthorization(context, order);
      return { text: { contentType: 'text/plain', content: url } };
    },
  });
  ofProject.patch('/connections/:connectionId', 'updateConnection', {
    summary: 'Change a connection',
    description: 'New credentials must open the same account; the provider is asked.',
    replies: { 200: json(connectionSchema) },
    problems: ['connection.not-found', 'connection.scheme-mismatch', ...providerProblemCodes],
    body: updateConnectionRequestSchema,
    answer: async (request, { id: projectId }) => {
      const updated = await updateConnection(context, projectId, request.params.connectionId, request);
      return presentConnection(request.caller, updated);
    },
  });
  ofConnection.delete('', 'deleteConnection', {
    summary: 'Delete a connection',
    replies: { 204: noBody('The connection and its credentials are deleted.') },
    problems: ['connection.not-found', 'connection.in-use'],
    // At the provider nothing changes: the customer takes the access back there.
    answer: async (_request, { projectId, id: connectionId }) => {
      const removal = await context.store.connections.remove({ projectId, connectionId });
      if (removal === undefined) throw notFound('connection.not-found');
      if ('usedBy' in removal) {
        const detail = `The installation ${removal.usedBy} uses the connection ${connectionId}.`;
        throw new ConflictError({ code: 'connection.in-use', detail });
      }
      context.logger.info({ projectId, connectionId }, 'connection.deleted');
    },
  });
}

/** Whether the view goes beyond the resource, which is a matter of keys that may do everything. */
function isPrivileged({ includeCreds, includeRefreshToken, refresh }: ConnectionView): boolean {
  return includeCreds === true || includeRefreshToken === true || refresh !== undefined;
}

/**
 * The connection, with its secrets only where they are asked for. What cannot be refreshed is shown as it is.
 * @throws ProviderError when a forced refresh fails; `credentials` when the grant is gone
 */
async function showConnection(
  context: ManagementContext,
  key: ConnectionKey,
  caller: Caller,
  view: ConnectionView,
): Promise<Connection> {
  const { projectId, connectionId } = key;
  const known = await getConnection(context, projectId, connectionId, { caller });
  if (!isPrivileged(view)) return known;
  const live = await credentialsNow(context, key, view.refresh);
  const connection =
    view.refresh === undefined ? known : await getConnection(context, projectId, connectionId, { caller });
  if (view.includeCreds !== true && view.includeRefreshToken !== true) return connection;
  const stored = await context.store.connections.findCredentials(projectId, connectionId);
  context.logger.info({ projectId, connectionId }, 'connection.credentials-shown');
  return { ...connection, ...secretsOf(live.credentials, stored?.scopes, view.includeRefreshToken === true) };
}

async function credentialsNow(
  { installations }: ManagementContext,
  { projectId, connectionId }: ConnectionKey,
  refresh: ConnectionView['refresh'],
): Promise<LiveCredentials> {
  if (refresh === 'ifExpired') return await installations.liveCredentials(projectId, connectionId);
  const stored = await installations.storedCredentials(projectId, connectionId);
  if (refresh === undefined) return stored;
  return (await installations.refreshCredentials(projectId, connectionId, stored.tokenVersion)) ?? stored;
}

/** The published shape has one member for tokens, whatever grant they come from. The secrets that tokens are requested with are never shown. */
function secretsOf(credentials: Credentials, scopes: readonly string[] | undefined, withRefreshToken: boolean) {
  const { apiKey, accessToken: token, refreshToken, expiresAt } = credentials;
  if (apiKey !== undefined) return { apiKey };
  if (token === undefined) return {};
  const refreshing = withRefreshToken && refreshToken !== undefined ? { token: refreshToken } : undefined;
  return { oauth2AuthorizationCode: { accessToken: { token, expiresAt }, refreshToken: refreshing, scopes } };
}
