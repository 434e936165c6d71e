import { NotFoundError } from '@sluice/errors';
import { route, type Router } from '@sluice/http';
import { generateConnectionRequestSchema, type GenerateConnectionRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { generateConnection } from '../generate-connection';
import { getProject } from '../get-project';
import { noQuery, projectPath } from './paths';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: { provider?: string; groupRef?: string; consumerRef?: string };
}

interface GenerateParts {
  readonly params: { projectIdOrName: string };
  readonly body: GenerateConnectionRequest;
}

interface ConnectionParts {
  readonly params: { projectIdOrName: string; connectionId: string };
}

const text = { type: 'string', minLength: 1 } as const;
const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { provider: text, groupRef: text, consumerRef: text },
} as const;

/** `GET P/connections`, `POST P/connections:generate`, `GET P/connections/{connectionId}`. Secrets are never shown. */
export function connectionRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/connections`,
    route<ListParts>({
      scopes: ['frontend', 'read'],
      query: listQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await context.store.connections.list(project.id, query) };
      },
    }),
  );
  router.post(
    `${projectPath}/connections\\:generate`,
    route<GenerateParts>({
      scopes: ['frontend'],
      query: noQuery,
      body: generateConnectionRequestSchema,
      handle: async ({ caller, params, body, traceparent }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const order = { projectId: project.id, request: body, traceparent };
        return { status: 201, body: await generateConnection(context, order) };
      },
    }),
  );
  router.get(
    `${projectPath}/connections/:connectionId`,
    route<ConnectionParts>({
      scopes: ['frontend', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const connection = await context.store.connections.find(project.id, params.connectionId);
        if (connection === undefined) {
          const detail = 'connectionId: there is no such connection in this project.';
          throw new NotFoundError({ code: 'connection.not-found', detail });
        }
        return { body: connection };
      },
    }),
  );
}
