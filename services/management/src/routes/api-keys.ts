import { NotFoundError } from '@sluice/errors';
import { route, type Router } from '@sluice/http';
import { createApiKeyRequestSchema, type CreateApiKeyRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { createApiKey } from '../create-api-key';
import { getProject } from '../get-project';
import { noQuery, projectPath } from './paths';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: { active?: boolean };
}

interface CreateParts {
  readonly params: { projectIdOrName: string };
  readonly body: CreateApiKeyRequest;
}

interface KeyParts {
  readonly params: { projectIdOrName: string; keyId: string };
}

const listQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { active: { type: 'boolean' } },
} as const;

/** `GET` and `POST P/api-keys`, `GET` and `DELETE P/api-keys/{keyId}`. The path takes the public id, never the key. */
export function apiKeyRoutes(router: Router, context: ManagementContext): void {
  const { apiKeys } = context.store;
  router.get(
    `${projectPath}/api-keys`,
    route<ListParts>({
      scopes: ['admin', 'read'],
      query: listQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await apiKeys.list(project.id, query.active) };
      },
    }),
  );
  router.post(
    `${projectPath}/api-keys`,
    route<CreateParts>({
      scopes: ['admin', 'full'],
      query: noQuery,
      body: createApiKeyRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { status: 201, body: await createApiKey(context, project.id, body) };
      },
    }),
  );
  router.get(
    `${projectPath}/api-keys/:keyId`,
    route<KeyParts>({
      scopes: ['admin', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const key = await apiKeys.find(project.id, params.keyId);
        if (key === undefined) throw keyNotFound();
        return { body: key };
      },
    }),
  );
  router.delete(
    `${projectPath}/api-keys/:keyId`,
    route<KeyParts>({
      scopes: ['admin', 'full'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        if (!(await apiKeys.remove(project.id, params.keyId))) throw keyNotFound();
        context.logger.info({ projectId: project.id, keyId: params.keyId }, 'api-key.deleted');
        return { status: 204 };
      },
    }),
  );
}

function keyNotFound(): NotFoundError {
  return new NotFoundError({ code: 'api-key.not-found', detail: 'keyId: there is no such API key in this project.' });
}
