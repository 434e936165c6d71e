import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { invalid, json, jsonList, noBody, type Router } from '@sluice/http';
import {
  apiKeySchema,
  createApiKeyRequestSchema,
  createJwtKeyReplySchema,
  createJwtKeyRequestSchema,
  jwtKeySchema,
  pageProperties,
  updateApiKeyRequestSchema,
  updateJwtKeyRequestSchema,
  type ApiKey,
  type CreateApiKeyRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { pagedList } from '../pages';
import { found, maskedValues, notFound } from '../refusals';
import { linkToNext, offByDefault as active, queryOf } from '../routes';
import { routesOfProject } from './get-project';

const reads = ['admin', 'read'] as const;
const changes = ['admin', 'full'] as const;

/**
 * `GET` and `POST P/api-keys`; `GET`, `PATCH` and `DELETE P/api-keys/{keyId}`. The path takes the public id, never the
 * key. A change is in force within a second.
 */
export function apiKeyRoutes(router: Router, context: ManagementContext): void {
  const project = routesOfProject(router, context, 'API keys');
  const { logger, store } = context;
  project.get('/api-keys', {
    operationId: 'listApiKeys',
    summary: 'List API keys',
    replies: { 200: jsonList(apiKeySchema, linkToNext) },
    scopes: reads,
    query: queryOf({ active, ...pageProperties }),
    handle: (request, { id }) => pagedList(request, (page) => store.apiKeys.list(id, request.query.active, page)),
  });
  project.get('/api-keys/:keyId', {
    operationId: 'getApiKey',
    summary: 'Get an API key',
    replies: { 200: json(apiKeySchema) },
    problems: ['api-key.not-found'],
    scopes: reads,
    handle: async ({ params }, { id }) => ({
      body: found(await store.apiKeys.find(id, params.keyId), 'api-key.not-found'),
    }),
  });
  project.post('/api-keys', {
    operationId: 'createApiKey',
    summary: 'Create an API key',
    replies: { 201: json(apiKeySchema) },
    scopes: changes,
    body: createApiKeyRequestSchema,
    handle: async ({ body }, { id }) => ({ status: 201, body: await createApiKey(context, id, body) }),
  });
  project.patch('/api-keys/:keyId', {
    operationId: 'updateApiKey',
    summary: 'Change an API key',
    replies: { 200: json(apiKeySchema) },
    problems: ['api-key.not-found'],
    scopes: changes,
    body: updateApiKeyRequestSchema,
    handle: async ({ params: { keyId }, body }, { id: projectId }) => {
      const change = maskedValues(body.updateMask, body.apiKey, 'apiKey');
      const key = found(await store.apiKeys.update(projectId, keyId, change), 'api-key.not-found');
      logger.info({ projectId, keyId, active: key.active, scopes: key.scopes }, 'api-key.updated');
      return { body: key };
    },
  });
  project.delete('/api-keys/:keyId', {
    operationId: 'deleteApiKey',
    summary: 'Delete an API key',
    replies: { 204: noBody('The key opens nothing any more.') },
    problems: ['api-key.not-found'],
    scopes: changes,
    handle: async ({ params: { keyId } }, { id: projectId }) => {
      if (!(await store.apiKeys.remove(projectId, keyId))) throw notFound('api-key.not-found');
      logger.info({ projectId, keyId }, 'api-key.deleted');
      return {};
    },
  });
}

/** 256 bits: no one guesses it, so a plain SHA-256 of it is enough at rest. */
const secretBytes = 32;

/** Makes a key. Its secret stands in `key` of this result and nowhere after. */
async function createApiKey(
  { logger, store }: ManagementContext,
  projectId: string,
  { label, scopes = ['full'] }: CreateApiKeyRequest,
): Promise<ApiKey> {
  const secret = `sk_${randomBytes(secretBytes).toString('base64url')}`;
  const created = await store.apiKeys.create({ projectId, label, scopes, secret });
  logger.info({ projectId, keyId: created.id, scopes }, 'api-key.created');
  return { ...created, key: secret };
}

/** `GET` and `POST P/jwt-keys`; `GET`, `PATCH` and `DELETE P/jwt-keys/{keyId}`. A change is in force within a second. */
export function jwtKeyRoutes(router: Router, context: ManagementContext): void {
  const project = routesOfProject(router, context, 'JWT keys');
  const { logger, store } = context;
  project.get('/jwt-keys', {
    operationId: 'listJwtKeys',
    summary: 'List JWT keys',
    replies: { 200: jsonList(jwtKeySchema) },
    scopes: reads,
    query: queryOf({ active }),
    handle: ({ url, query }, { id }) =>
      pagedList({ url, query: {} }, (page) => store.jwtKeys.list(id, query.active, page)),
  });
  project.get('/jwt-keys/:keyId', {
    operationId: 'getJwtKey',
    summary: 'Get a JWT key',
    replies: { 200: json(jwtKeySchema) },
    problems: ['jwt-key.not-found'],
    scopes: reads,
    handle: async ({ params }, { id }) => ({
      body: found(await store.jwtKeys.find(id, params.keyId), 'jwt-key.not-found'),
    }),
  });
  project.post('/jwt-keys', {
    operationId: 'createJwtKey',
    summary: 'Register a JWT key',
    replies: { 201: json(createJwtKeyReplySchema) },
    scopes: changes,
    body: createJwtKeyRequestSchema,
    handle: async ({ body: { label, publicKeyPem } }, { id: projectId }) => {
      // Kept and shown in SPKI form, so that whatever else the text held is dropped.
      const pem = readKey(publicKeyPem).export({ type: 'spki', format: 'pem' }).toString();
      const { id: kid } = await store.jwtKeys.create({ projectId, label, publicKeyPem: pem });
      logger.info({ projectId, keyId: kid }, 'jwt-key.created');
      return { status: 201, body: { kid } };
    },
  });
  project.patch('/jwt-keys/:keyId', {
    operationId: 'updateJwtKey',
    summary: 'Change a JWT key',
    replies: { 200: json(jwtKeySchema) },
    problems: ['jwt-key.not-found'],
    scopes: changes,
    body: updateJwtKeyRequestSchema,
    handle: async ({ params: { keyId }, body }, { id: projectId }) => {
      const change = maskedValues(body.updateMask, body.jwtKey, 'jwtKey');
      const key = found(await store.jwtKeys.update(projectId, keyId, change), 'jwt-key.not-found');
      logger.info({ projectId, keyId, active: key.active }, 'jwt-key.updated');
      return { body: key };
    },
  });
  project.delete('/jwt-keys/:keyId', {
    operationId: 'deleteJwtKey',
    summary: 'Delete a JWT key',
    replies: { 204: noBody('Tokens of the key are refused.') },
    problems: ['jwt-key.not-found'],
    scopes: changes,
    handle: async ({ params: { keyId } }, { id: projectId }) => {
      if (!(await store.jwtKeys.remove(projectId, keyId))) throw notFound('jwt-key.not-found');
      logger.info({ projectId, keyId }, 'jwt-key.deleted');
      return {};
    },
  });
}

/** Smallest modulus. Source: RFC 7518, section 3.3. With the largest, checking a signature takes 0.3 ms per request. */
const bitsMin = 2_048;
const bitsMax = 4_096;
/** Source: NIST FIPS 186-5, 5.4: smaller exponents are weak. Above 64 bits checking a signature becomes slow. */
const exponentMin = 65_537n;
const exponentMax = 2n ** 64n;

/** The public half of a key that signs bearer tokens. @throws ValidationError 400 for what is no RSA public key of 2,048 to 4,096 bits */
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
