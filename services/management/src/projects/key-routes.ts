import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { invalid, json, jsonList, noBody, offByDefault, queryOf, type Router } from '@sluice/http';
import {
  apiKeySchema,
  authorOf,
  createApiKeyRequestSchema,
  createJwtKeyReplySchema,
  createJwtKeyRequestSchema,
  jwtKeySchema,
  pageProperties,
  updateApiKeyRequestSchema,
  updateJwtKeyRequestSchema,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { linkToNext, wholeList } from '../pages';
import { found, maskedValues, notFound } from '../refusals';
import { routesOfProject } from './get-project';

const reads = ['admin', 'read'] as const;
const changes = ['admin', 'full'] as const;

/** 256 bits: no one guesses it, so a plain SHA-256 of it is enough at rest. */
const secretBytes = 32;
/** Of them so many characters stay visible, to tell keys apart: 232 bits are left to guess. */
const shownCharacters = 4;

/** The path takes the public id, never the key. A change is in force within a second. */
export function apiKeyRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'API keys');
  const { logger, store } = context;
  ofProject.get('/api-keys', 'listApiKeys', {
    summary: 'List API keys',
    replies: { 200: jsonList(apiKeySchema, linkToNext) },
    scopes: reads,
    query: queryOf({ active: offByDefault, ...pageProperties }),
    handle: (request, { id }) => wholeList(request, (page) => store.apiKeys.listPage(id, request.query.active, page)),
  });
  const ofKey = ofProject.under('/api-keys/:keyId', {
    problems: ['api-key.not-found'],
    scopes: changes,
    find: ({ params }, { id }) => [id, params.keyId] as const,
  });
  ofKey.get('', 'getApiKey', {
    summary: 'Get an API key',
    replies: { 200: json(apiKeySchema) },
    scopes: reads,
    answer: async (_request, key) => found(await store.apiKeys.find(...key), 'api-key.not-found'),
  });
  ofProject.post('/api-keys', 'createApiKey', {
    summary: 'Create an API key',
    replies: { 201: json(apiKeySchema) },
    scopes: changes,
    body: createApiKeyRequestSchema,
    // The key itself stands in `key` of this reply and nowhere after.
    answer: async ({ body: { label, scopes = ['full' as const] }, caller }, { id: projectId }) => {
      // With the project, for a router that has to find its cell (docs/guides/cells.md). The part behind it is the secret.
      const secret = `sk_${projectId}_${randomBytes(secretBytes).toString('base64url')}`;
      const prefix = secret.slice(0, `sk_${projectId}_`.length + shownCharacters);
      const createdBy = authorOf(caller);
      const created = await store.apiKeys.create({ projectId, label, scopes, secret, prefix, createdBy });
      logger.info({ projectId, keyId: created.id, scopes }, 'api-key.created');
      return { ...created, key: secret };
    },
  });
  ofKey.patch('', 'updateApiKey', {
    summary: 'Change an API key',
    replies: { 200: json(apiKeySchema) },
    body: updateApiKeyRequestSchema,
    answer: async ({ body }, [projectId, keyId]) => {
      const change = maskedValues(body.updateMask, body.apiKey, 'apiKey');
      const key = found(await store.apiKeys.update(projectId, keyId, change), 'api-key.not-found');
      logger.info({ projectId, keyId, active: key.active, scopes: key.scopes }, 'api-key.updated');
      return key;
    },
  });
  ofKey.delete('', 'deleteApiKey', {
    summary: 'Delete an API key',
    replies: { 204: noBody('The key is deleted and no longer accepted.') },
    answer: async (_request, [projectId, keyId]) => {
      if (!(await store.apiKeys.remove(projectId, keyId))) throw notFound('api-key.not-found');
      logger.info({ projectId, keyId }, 'api-key.deleted');
    },
  });
}

/** A change is in force within a second. */
export function jwtKeyRoutes(router: Router, context: ManagementContext): void {
  const ofProject = routesOfProject(router, context, 'JWT keys');
  const { logger, store } = context;
  ofProject.get('/jwt-keys', 'listJwtKeys', {
    summary: 'List JWT keys',
    replies: { 200: jsonList(jwtKeySchema) },
    scopes: reads,
    query: queryOf({ active: offByDefault }),
    handle: ({ caller, url, query }, { id }) =>
      wholeList({ caller, url, query: {} }, (page) => store.jwtKeys.listPage(id, query.active, page)),
  });
  const ofKey = ofProject.under('/jwt-keys/:keyId', {
    problems: ['jwt-key.not-found'],
    scopes: changes,
    find: ({ params }, { id }) => [id, params.keyId] as const,
  });
  ofKey.get('', 'getJwtKey', {
    summary: 'Get a JWT key',
    replies: { 200: json(jwtKeySchema) },
    scopes: reads,
    answer: async (_request, key) => found(await store.jwtKeys.find(...key), 'jwt-key.not-found'),
  });
  ofProject.post('/jwt-keys', 'createJwtKey', {
    summary: 'Register a JWT key',
    replies: { 201: json(createJwtKeyReplySchema) },
    scopes: changes,
    body: createJwtKeyRequestSchema,
    answer: async ({ body: { label, publicKeyPem }, caller }, { id: projectId }) => {
      // Kept and shown in SPKI form, so that whatever else the text held is dropped.
      const pem = readKey(publicKeyPem).export({ type: 'spki', format: 'pem' }).toString();
      const { id: kid } = await store.jwtKeys.create({
        projectId,
        label,
        publicKeyPem: pem,
        createdBy: authorOf(caller),
      });
      logger.info({ projectId, keyId: kid }, 'jwt-key.created');
      return { kid };
    },
  });
  ofKey.patch('', 'updateJwtKey', {
    summary: 'Change a JWT key',
    replies: { 200: json(jwtKeySchema) },
    body: updateJwtKeyRequestSchema,
    answer: async ({ body }, [projectId, keyId]) => {
      const change = maskedValues(body.updateMask, body.jwtKey, 'jwtKey');
      const key = found(await store.jwtKeys.update(projectId, keyId, change), 'jwt-key.not-found');
      logger.info({ projectId, keyId, active: key.active }, 'jwt-key.updated');
      return key;
    },
  });
  ofKey.delete('', 'deleteJwtKey', {
    summary: 'Delete a JWT key',
    replies: { 204: noBody('Tokens of the key are refused.') },
    answer: async (_request, [projectId, keyId]) => {
      if (!(await store.jwtKeys.remove(projectId, keyId))) throw notFound('jwt-key.not-found');
      logger.info({ projectId, keyId }, 'jwt-key.deleted');
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
const refused = (detail: string): Error => invalid([{ in: 'body', name: 'publicKeyPem', detail }]);
