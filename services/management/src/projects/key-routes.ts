import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { invalid, json, jsonList, noBody, offByDefault, queryOf, type Router } from '@sluice/http';
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
  type JwtKey,
  type PageQuery,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { linkToNext, wholeList } from '../pages';
import { found, maskedValues, notFound } from '../refusals';
import { routesOfProject } from './get-project';

const reads = ['admin', 'read'] as const;
const changes = ['admin', 'full'] as const;

/** 256 bits: no one guesses it, so a plain SHA-256 of it is enough at rest. */
const secretBytes = 32;

/** What the two kinds of keys differ in, besides how they are made. */
const kinds = {
  'api-key': {
    name: 'ApiKey',
    noun: 'an API key',
    schema: apiKeySchema,
    list: { reply: jsonList(apiKeySchema, linkToNext), query: pageProperties },
    update: updateApiKeyRequestSchema,
    gone: 'The key opens nothing any more.',
  },
  'jwt-key': {
    name: 'JwtKey',
    noun: 'a JWT key',
    schema: jwtKeySchema,
    list: { reply: jsonList(jwtKeySchema), query: {} },
    update: updateJwtKeyRequestSchema,
    gone: 'Tokens of the key are refused.',
  },
} as const;

/** The routes that both kinds have. The path takes the public id, never the key. A change is in force within a second. */
function routesOfKeys(router: Router, context: ManagementContext, kind: keyof typeof kinds) {
  const { logger, store } = context;
  const { name, noun, schema, list, update, gone } = kinds[kind];
  const keys = kind === 'api-key' ? store.apiKeys : store.jwtKeys;
  const missing = `${kind}.not-found` as const;
  const plural = `${noun.replace(/^\w+ /, '')}s`;
  const ofProject = routesOfProject(router, context, plural);
  ofProject.get(`/${kind}s`, `list${name}s`, {
    summary: `List ${plural}`,
    replies: { 200: list.reply },
    scopes: reads,
    query: queryOf({ active: offByDefault, ...list.query }),
    handle: ({ caller, url, query }, { id }) => {
      const request = { caller, url, query: query as PageQuery };
      return wholeList<ApiKey | JwtKey>(request, (page) => keys.listPage(id, query.active, page));
    },
  });
  const ofKey = ofProject.under(`/${kind}s/:keyId`, {
    problems: [missing],
    scopes: changes,
    find: ({ params }, { id }) => [id, params.keyId] as const,
  });
  ofKey.get('', `get${name}`, {
    summary: `Get ${noun}`,
    replies: { 200: json(schema) },
    scopes: reads,
    answer: async (_request, key) => found<ApiKey | JwtKey>(await keys.find(...key), missing),
  });
  ofKey.patch('', `update${name}`, {
    summary: `Change ${noun}`,
    replies: { 200: json(schema) },
    body: update,
    answer: async ({ body }, [projectId, keyId]) => {
      const change =
        'apiKey' in body
          ? maskedValues(body.updateMask, body.apiKey, 'apiKey')
          : maskedValues(body.updateMask, body.jwtKey, 'jwtKey');
      const key = found<ApiKey | JwtKey>(await keys.update(projectId, keyId, change), missing);
      const scopes = 'scopes' in key ? { scopes: key.scopes } : {};
      logger.info({ projectId, keyId, active: key.active, ...scopes }, `${kind}.updated`);
      return key;
    },
  });
  ofKey.delete('', `delete${name}`, {
    summary: `Delete ${noun}`,
    replies: { 204: noBody(gone) },
    answer: async (_request, [projectId, keyId]) => {
      if (!(await keys.remove(projectId, keyId))) throw notFound(missing);
      logger.info({ projectId, keyId }, `${kind}.deleted`);
    },
  });
  return ofProject;
}

export function keyRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  routesOfKeys(router, context, 'api-key').post('/api-keys', 'createApiKey', {
    summary: 'Create an API key',
    replies: { 201: json(apiKeySchema) },
    scopes: changes,
    body: createApiKeyRequestSchema,
    // The key itself stands in `key` of this reply and nowhere after.
    answer: async ({ body: { label, scopes = ['full' as const] } }, { id: projectId }) => {
      // With the project, for a router that has to find its cell (docs/guides/cells.md). The part behind it is the secret.
      const secret = `sk_${projectId}_${randomBytes(secretBytes).toString('base64url')}`;
      const created = await store.apiKeys.create({ projectId, label, scopes, secret });
      logger.info({ projectId, keyId: created.id, scopes }, 'api-key.created');
      return { ...created, key: secret };
    },
  });
  routesOfKeys(router, context, 'jwt-key').post('/jwt-keys', 'createJwtKey', {
    summary: 'Register a JWT key',
    replies: { 201: json(createJwtKeyReplySchema) },
    scopes: changes,
    body: createJwtKeyRequestSchema,
    answer: async ({ body: { label, publicKeyPem } }, { id: projectId }) => {
      // Kept and shown in SPKI form, so that whatever else the text held is dropped.
      const pem = readKey(publicKeyPem).export({ type: 'spki', format: 'pem' }).toString();
      const { id: kid } = await store.jwtKeys.create({ projectId, label, publicKeyPem: pem });
      logger.info({ projectId, keyId: kid }, 'jwt-key.created');
      return { kid };
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
