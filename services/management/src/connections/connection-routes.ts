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
} from '@sluice/types';
import { assertConsumer } from '../caller-group';
import type { ManagementContext } from '../context';
import { generateConnection } from './generate-connection';
import { getProject } from '../projects/get-project';
import { pagedList } from '../paged-list';
import { presentConnection } from './present-connection';
import { isPrivileged, showConnection, type ConnectionView } from './show-connection';
import { linkToNext, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';

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
      handle: async (request, project) => {
        const { caller, query } = request;
        const filter = { ...query, ...reachOf(caller) };
        const read = (page: Page | undefined) => context.store.connections.list(project.id, filter, page);
        return await pagedList(request, read, (connection) => presentConnection(caller, connection));
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
