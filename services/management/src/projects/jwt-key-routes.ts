import { createPublicKey, type KeyObject } from 'node:crypto';
import { NotFoundError } from '@sluice/errors';
import { type Router, json, jsonList, noBody, invalid } from '@sluice/http';
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
import { maskedValues } from '../masked-values';
import { pagedList } from '../paged-list';
import { activeQuery, projectPath } from '../paths';
import { projectRoute } from './project-route';

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
    projectRoute<ListParts>(context, {
      operationId: 'listJwtKeys',
      summary: 'List JWT keys',
      tags: ['JWT keys'],
      replies: { 200: jsonList(jwtKeySchema) },
      scopes: ['admin', 'read'],
      query: activeQuery,
      handle: async (request, project) => {
        const { url, query } = request;
        return await pagedList({ url, query: {} }, (page) => jwtKeys.list(project.id, query.active, page));
      },
    }),
  );
  router.get(
    keyPath,
    projectRoute<KeyParts>(context, {
      operationId: 'getJwtKey',
      summary: 'Get a JWT key',
      tags: ['JWT keys'],
      replies: { 200: json(jwtKeySchema) },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'read'],
      handle: async ({ params }, project) => {
        return { body: orNotFound(await jwtKeys.find(project.id, params.keyId)) };
      },
    }),
  );
}

function changes(router: Router, context: ManagementContext): void {
  const { jwtKeys } = context.store;
  router.post(
    `${projectPath}/jwt-keys`,
    projectRoute<CreateParts>(context, {
      operationId: 'createJwtKey',
      summary: 'Register a JWT key',
      tags: ['JWT keys'],
      replies: { 201: json(createJwtKeyReplySchema) },
      scopes: ['admin', 'full'],
      body: createJwtKeyRequestSchema,
      handle: async ({ body }, project) => {
        const reply: CreateJwtKeyReply = { kid: (await createJwtKey(context, project.id, body)).id };
        return { status: 201, body: reply };
      },
    }),
  );
  router.patch(
    keyPath,
    projectRoute<KeyParts & { readonly body: UpdateJwtKeyRequest }>(context, {
      operationId: 'updateJwtKey',
      summary: 'Change a JWT key',
      tags: ['JWT keys'],
      replies: { 200: json(jwtKeySchema) },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'full'],
      body: updateJwtKeyRequestSchema,
      handle: async ({ params, body }, project) => {
        const change = maskedValues(body.updateMask, body.jwtKey, 'jwtKey');
        const key = orNotFound(await jwtKeys.update(project.id, params.keyId, change));
        context.logger.info({ projectId: project.id, keyId: key.id, active: key.active }, 'jwt-key.updated');
        return { body: key };
      },
    }),
  );
  router.delete(
    keyPath,
    projectRoute<KeyParts>(context, {
      operationId: 'deleteJwtKey',
      summary: 'Delete a JWT key',
      tags: ['JWT keys'],
      replies: { 204: noBody('Tokens of the key are refused.') },
      problems: ['jwt-key.not-found'],
      scopes: ['admin', 'full'],
      handle: async ({ params }, project) => {
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

/** Smallest modulus. Source: RFC 7518, section 3.3. With the largest, checking a signature takes 0.3 ms per request. */
const bitsMin = 2_048;
const bitsMax = 4_096;
/** Source: NIST FIPS 186-5, 5.4: smaller exponents are weak. Above 64 bits checking a signature becomes slow. */
const exponentMin = 65_537n;
const exponentMax = 2n ** 64n;

/**
 * Registers the public half of a key that signs bearer tokens. It is kept and shown in SPKI form, so that whatever else
 * the text held is dropped.
 * @throws ValidationError 400 for what is no RSA public key of 2,048 to 4,096 bits
 */
async function createJwtKey(
  context: ManagementContext,
  projectId: string,
  { label, publicKeyPem }: CreateJwtKeyRequest,
): Promise<JwtKey> {
  const key = readKey(publicKeyPem);
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  const created = await context.store.jwtKeys.create({ projectId, label, publicKeyPem: pem });
  context.logger.info({ projectId, keyId: created.id }, 'jwt-key.created');
  return created;
}

function readKey(pem: string): KeyObject {
  const key = parseKey(pem);
  if (key.asymmetricKeyType !== 'rsa') throw refused(`must be an RSA key; this one is ${key.asymmetricKeyType}`);
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < bitsMin || modulusLength > bitsMax) {
    throw refused(`must have ${bitsMin} to ${bitsMax} bits; this one has ${modulusLength}`);
  }
  if (publicExponent < exponentMin || publicExponent >= exponentMax) {
    throw refused(`must have a public exponent from ${exponentMin} to 64 bits; this one has ${publicExponent}`);
  }
  return key;
}

function parseKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw refused('must be an RSA public key in PEM form');
  }
}

/** Without the value: it is long, and could be a private key by mistake. */
function refused(detail: string): Error {
  return invalid([{ in: 'body', name: 'publicKeyPem', detail }]);
}
