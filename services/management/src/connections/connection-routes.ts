import { providerProblemCodes } from '@sluice/errors';
import { json, jsonList, route, scopeCheck, type Router } from '@sluice/http';
import {
  generateConnectionRequestSchema,
  pageProperties,
  type Page,
  type PageQuery,
  reachOf,
  type GenerateConnectionRequest,
  connectionSchema,
  type Caller,
  type Connection,
  type Credentials,
  type LiveCredentials,
} from '@sluice/types';
import type { ConnectionKey } from '@sluice/store';
import { assertConsumer } from '../caller-group';
import type { ManagementContext } from '../context';
import { getProject } from '../projects/get-project';
import { wholeList } from '../paged-list';
import { linkToNext, listBytesMax, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';
import { generateConnection } from './generate-connection';
import { presentConnection } from './present-connection';
import { getConnectionOfPath } from './get-connection';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: { provider?: string; groupRef?: string; consumerRef?: string } & PageQuery;
}

interface GenerateParts {
  readonly params: { projectIdOrName: string };
  readonly body: GenerateConnectionRequest;
}

interface ConnectionParts {
  readonly params: { projectIdOrName: string; connectionId: string };
  readonly query: ConnectionView;
}

/** Who may see secrets. */
const checkFull = scopeCheck(['full']);

const text = { type: 'string', minLength: 1 } as const;
const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { provider: text, groupRef: text, consumerRef: text, ...pageProperties },
} as const;

const viewQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    includeCreds: { type: 'boolean', default: false },
    includeRefreshToken: { type: 'boolean', default: false },
    refresh: { type: 'string', enum: ['force', 'ifExpired'] },
  },
} as const;

/** `GET P/connections`, `POST P/connections:generate`, `GET P/connections/{connectionId}`. Secrets are shown on request, one connection at a time. */
export function connectionRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/connections`,
    projectRoute<ListParts>(context, {
      operationId: 'listConnections',
      summary: 'List connections',
      tags: ['Connections'],
      replies: { 200: jsonList(connectionSchema, linkToNext) },
      scopes: ['frontend', 'read', 'token'],
      query: listQuery,
      replyBytesMax: listBytesMax,
      handle: async (request, project) => {
        const { caller, query } = request;
        const filter = { ...query, ...reachOf(caller) };
        const read = (page: Page) => context.store.connections.listPage(project.id, filter, page);
        return await wholeList(request, read, (connection) => presentConnection(caller, connection));
      },
    }),
  );
  router.post(
    `${projectPath}/connections\\:generate`,
    projectRoute<GenerateParts>(context, {
      operationId: 'generateConnection',
      summary: 'Make a connection from credentials',
      tags: ['Connections'],
      example: {
        groupRef: 'demo-group',
        consumerRef: 'ann',
        provider: 'hubspot',
        oauth2AuthorizationCode: { accessToken: { token: 'pat-na1-…' } },
      },
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
      handle: async ({ caller, body, traceparent }, project) => {
        assertConsumer(caller, body);
        const order = { projectId: project.id, request: body, traceparent };
        return { status: 201, body: presentConnection(caller, await generateConnection(context, order)) };
      },
    }),
  );
  router.get(
    `${projectPath}/connections/:connectionId`,
    route<ConnectionParts>({
      operationId: 'getConnection',
      summary: 'Get a connection',
      description: 'Secrets are shown, and tokens are refreshed, for keys with the scope full only.',
      tags: ['Connections'],
      replies: { 200: json(connectionSchema) },
      problems: ['connection.not-found', ...providerProblemCodes],
      scopes: ['frontend', 'read', 'token'],
      query: viewQuery,
      handle: async ({ caller, params, query }) => {
        if (isPrivileged(query)) checkFull(caller);
        const project = await getProject(context, caller, params.projectIdOrName);
        const names = { projectId: project.id, connectionId: params.connectionId, caller };
        return { body: presentConnection(caller, await showConnection(context, names, query)) };
      },
    }),
  );
}

/** What a caller wants to see of a connection. Source: published API, get connection. */
interface ConnectionView {
  /** The access token with its scopes, or the API key. */
  readonly includeCreds?: boolean;
  /** The refresh token too; includes the credentials. */
  readonly includeRefreshToken?: boolean;
  /** `force`: a new access token now. `ifExpired`: when the stored one is at its end. */
  readonly refresh?: 'force' | 'ifExpired';
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
  { projectId, connectionId, caller }: ConnectionKey & { readonly caller: Caller },
  view: ConnectionView,
): Promise<Connection> {
  const known = await getConnectionOfPath(context, projectId, connectionId, caller);
  if (!isPrivileged(view)) return known;
  const live = await credentialsNow(context, { projectId, connectionId }, view.refresh);
  const connection =
    view.refresh === undefined ? known : await getConnectionOfPath(context, projectId, connectionId, caller);
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

/** The published shape has one place for tokens, whatever grant they come from. What tokens are asked for with is never shown. */
function secretsOf(credentials: Credentials, scopes: readonly string[] | undefined, withRefreshToken: boolean) {
  const { apiKey, accessToken, refreshToken, expiresAt } = credentials;
  if (apiKey !== undefined) return { apiKey };
  if (accessToken === undefined) return {};
  return {
    oauth2AuthorizationCode: {
      accessToken: { token: accessToken, ...(expiresAt === undefined ? {} : { expiresAt }) },
      ...(withRefreshToken && refreshToken !== undefined ? { refreshToken: { token: refreshToken } } : {}),
      ...(scopes === undefined ? {} : { scopes }),
    },
  };
}
