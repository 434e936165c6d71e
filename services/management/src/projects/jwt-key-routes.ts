import { NotFoundError } from '@sluice/errors';
import { route, type Router, json, jsonList, noBody } from '@sluice/http';
import {
  createJwtKeyRequestSchema,
  updateJwtKeyRequestSchema,
  type CreateJwtKeyReply,
  type CreateJwtKeyRequest,
  type JwtKey,
  type UpdateJwtKeyRequest,
  createJwtKeyReplySchema,
  jwtKeySchema,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { createJwtKey } from './create-jwt-key';
import { getProject } from './get-project';
import { maskedValues } from '../masked-values';
import { activeQuery, noQuery, projectPath } from '../paths';

interface ListParts {
  readonly params: { projectIdOrName: string };
  readonly query: { active?: boolean };
}

interface CreateParts {
  readonly params: { projectIdOrName: string };
  readonly body: CreateJwtKeyRequest;
}

interface KeyParts {
  readonly params: { projectIdOrName: string; keyId: string };
}

const keyPath = `${projectPath}/jwt-keys/:keyId`;

/** `GET` and `POST P/jwt-keys`; `GET`, `PATCH` and `DELETE P/jwt-keys/{keyId}`. A change is in force within a second. */
export function jwtKeyRoutes(router: Router, context: ManagementContext): void {
  reads(router, context);
  changes(router, context);
}

function reads(router: Router, context: ManagementContext): void {
  const { jwtKeys } = context.store;
  router.get(
    `${projectPath}/jwt-keys`,
    route<ListParts>({
      operationId: 'listJwtKeys',
      summary: 'List JWT keys',
      tags: ['JWT keys'],
      replies: { 200: jsonList(jwtKeySchema) },
      scopes: ['admin', 'read'],
      query: activeQuery,
      handle: async ({ caller, params, query }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: await jwtKeys.list(project.id, query.active) };
      },
    }),
  );
  router.get(
    keyPath,
    route<KeyParts>({
      operationId: 'getJwtKey',
      summary: 'Get a JWT key',
      tags: ['JWT keys'],
      replies: { 200: json(jwtKeySchema) },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'read'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        return { body: orNotFound(await jwtKeys.find(project.id, params.keyId)) };
      },
    }),
  );
}

function changes(router: Router, context: ManagementContext): void {
  const { jwtKeys } = context.store;
  router.post(
    `${projectPath}/jwt-keys`,
    route<CreateParts>({
      operationId: 'createJwtKey',
      summary: 'Register a JWT key',
      tags: ['JWT keys'],
      replies: { 201: json(createJwtKeyReplySchema) },
      scopes: ['admin', 'full'],
      query: noQuery,
      body: createJwtKeyRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const reply: CreateJwtKeyReply = { kid: (await createJwtKey(context, project.id, body)).id };
        return { status: 201, body: reply };
      },
    }),
  );
  router.patch(
    keyPath,
    route<KeyParts & { readonly body: UpdateJwtKeyRequest }>({
      operationId: 'updateJwtKey',
      summary: 'Change a JWT key',
      tags: ['JWT keys'],
      replies: { 200: json(jwtKeySchema) },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'full'],
      query: noQuery,
      body: updateJwtKeyRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const change = maskedValues(body.updateMask, body.jwtKey, 'jwtKey');
        const key = orNotFound(await jwtKeys.update(project.id, params.keyId, change));
        context.logger.info({ projectId: project.id, keyId: key.id, active: key.active }, 'jwt-key.updated');
        return { body: key };
      },
    }),
  );
  router.delete(
    keyPath,
    route<KeyParts>({
      operationId: 'deleteJwtKey',
      summary: 'Delete a JWT key',
      tags: ['JWT keys'],
      replies: { 204: noBody('Tokens of the key are refused.') },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'full'],
      query: noQuery,
      handle: async ({ caller, params }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        if (!(await jwtKeys.remove(project.id, params.keyId))) throw keyNotFound();
        context.logger.info({ projectId: project.id, keyId: params.keyId }, 'jwt-key.deleted');
        return { status: 204 };
      },
    }),
  );
}

function orNotFound(key: JwtKey | undefined): JwtKey {
  if (key !== undefined) return key;
  throw keyNotFound();
}

function keyNotFound(): NotFoundError {
  return new NotFoundError({ code: 'jwt-key.not-found', detail: 'keyId: there is no such JWT key in this project.' });
}
