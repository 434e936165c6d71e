import { randomBytes } from 'node:crypto';
import { NotFoundError } from '@sluice/errors';
import { type Router, json, jsonList, noBody } from '@sluice/http';
import {
  createApiKeyRequestSchema,
  updateApiKeyRequestSchema,
  pageProperties,
  type ApiKey,
  type PageQuery,
  type CreateApiKeyRequest,
  type UpdateApiKeyRequest,
  apiKeySchema,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { maskedValues } from '../masked-values';
import { pagedList } from '../paged-list';
import { activeQuery, linkToNext, projectPath } from '../paths';
import { projectRoute } from './project-route';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: { active?: boolean } & PageQuery;
}

interface CreateParts {
  readonly params: { projectIdOrName: string };
  readonly body: CreateApiKeyRequest;
}

interface KeyParts {
  readonly params: { projectIdOrName: string; keyId: string };
}

const listQuery = { ...activeQuery, properties: { ...activeQuery.properties, ...pageProperties } } as const;
const keyPath = `${projectPath}/api-keys/:keyId`;

/**
 * `GET` and `POST P/api-keys`; `GET`, `PATCH` and `DELETE P/api-keys/{keyId}`. The path takes the public id, never the
 * key. A change is in force within a second.
 */
export function apiKeyRoutes(router: Router, context: ManagementContext): void {
  reads(router, context);
  changes(router, context);
}

function reads(router: Router, context: ManagementContext): void {
  const { apiKeys } = context.store;
  router.get(
    `${projectPath}/api-keys`,
    projectRoute<ListParts>(context, {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      tags: ['API keys'],
      replies: { 200: jsonList(apiKeySchema, linkToNext) },
      scopes: ['admin', 'read'],
      query: listQuery,
      handle: async (request, project) => {
        const { query } = request;
        return await pagedList(request, (page) => apiKeys.list(project.id, query.active, page));
      },
    }),
  );
  router.get(
    keyPath,
    projectRoute<KeyParts>(context, {
      operationId: 'getApiKey',
      summary: 'Get an API key',
      tags: ['API keys'],
      replies: { 200: json(apiKeySchema) },
      problems: ['api-key.not-found'],
      scopes: ['admin', 'read'],
      handle: async ({ params }, project) => {
        return { body: orNotFound(await apiKeys.find(project.id, params.keyId)) };
      },
    }),
  );
}

function changes(router: Router, context: ManagementContext): void {
  const { apiKeys } = context.store;
  router.post(
    `${projectPath}/api-keys`,
    projectRoute<CreateParts>(context, {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      tags: ['API keys'],
      replies: { 201: json(apiKeySchema) },
      scopes: ['admin', 'full'],
      body: createApiKeyRequestSchema,
      handle: async ({ body }, project) => {
        return { status: 201, body: await createApiKey(context, project.id, body) };
      },
    }),
  );
  router.patch(
    keyPath,
    projectRoute<KeyParts & { readonly body: UpdateApiKeyRequest }>(context, {
      operationId: 'updateApiKey',
      summary: 'Change an API key',
      tags: ['API keys'],
      replies: { 200: json(apiKeySchema) },
      problems: ['api-key.not-found'],
      scopes: ['admin', 'full'],
      body: updateApiKeyRequestSchema,
      handle: async ({ params, body }, project) => {
        const change = maskedValues(body.updateMask, body.apiKey, 'apiKey');
        const key = orNotFound(await apiKeys.update(project.id, params.keyId, change));
        const { id: keyId, active, scopes } = key;
        context.logger.info({ projectId: project.id, keyId, active, scopes }, 'api-key.updated');
        return { body: key };
      },
    }),
  );
  router.delete(
    keyPath,
    projectRoute<KeyParts>(context, {
      operationId: 'deleteApiKey',
      summary: 'Delete an API key',
      tags: ['API keys'],
      replies: { 204: noBody('The key opens nothing any more.') },
      problems: ['api-key.not-found'],
      scopes: ['admin', 'full'],
      handle: async ({ params }, project) => {
        if (!(await apiKeys.remove(project.id, params.keyId))) throw keyNotFound();
        context.logger.info({ projectId: project.id, keyId: params.keyId }, 'api-key.deleted');
        return { status: 204 };
      },
    }),
  );
}

function orNotFound(key: ApiKey | undefined): ApiKey {
  if (key !== undefined) return key;
  throw keyNotFound();
}

function keyNotFound(): NotFoundError {
  return new NotFoundError({ code: 'api-key.not-found', detail: 'keyId: there is no such API key in this project.' });
}

/** 256 bits: no one guesses it, so a plain SHA-256 of it is enough at rest. */
const secretBytes = 32;

/** Makes a key. Its secret stands in `key` of this result and nowhere after. */
async function createApiKey(
  context: ManagementContext,
  projectId: string,
  request: CreateApiKeyRequest,
): Promise<ApiKey> {
  const secret = `sk_${randomBytes(secretBytes).toString('base64url')}`;
  const { label, scopes = ['full'] } = request;
  const created = await context.store.apiKeys.create({ projectId, label, scopes, secret });
  context.logger.info({ projectId, keyId: created.id, scopes }, 'api-key.created');
  return { ...created, key: secret };
}
