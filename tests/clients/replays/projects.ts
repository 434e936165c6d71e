import { logs, operation, operationPage, project } from '../published/resources';
import { apiKey, jwtKey, newJwtKey, providerApp, providerInfo } from '../published/access';
import { listOf, mapOf } from '../published/shape';
import { freshApiKey, freshJwtKey, freshProject, freshProviderApp } from '../../security/tenancy/world';
import { invalidInput, json, plainText, problem, type Replay } from '../replay';

const P = '/projects/{projectIdOrName}';
const platform = { client: 'sdk-node-platform', base: 'baseUrl' } as const;
const api = { client: 'published API', base: 'baseUrl' } as const;
const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret-of-the-app', scopes: ['oauth'] };

/** API reference, section A. */
export const projects: readonly Replay[] = [
  { ...platform, call: 'projects.list', request: 'GET /projects', status: 200, reply: json(listOf(project)) },
  {
    ...platform,
    call: 'projects.create',
    request: 'POST /projects',
    as: 'builder',
    body: (_ids, { stack, next }) => ({ name: `c-${stack.portBase}-${next()}`, appName: 'App', orgId: 'org' }),
    status: 201,
    reply: json(project),
  },
  {
    ...platform,
    call: 'projects.create, a member missing',
    request: 'POST /projects',
    as: 'builder',
    body: () => ({ name: 'nameless-app', orgId: 'org' }),
    status: 400,
    reply: invalidInput,
    differs: '400 where 422 is published: what a schema can say is 400 throughout',
  },
  {
    ...platform,
    call: 'projects.create, a name that is taken',
    request: 'POST /projects',
    as: 'builder',
    body: (_ids, { project: { name } }) => ({ name, appName: 'App', orgId: 'org' }),
    status: 409,
    reply: problem,
    differs: '409 where 422 is published',
  },
  { ...platform, call: 'projects.get', request: `GET ${P}`, status: 200, reply: json(project) },
  {
    ...api,
    call: 'getProject, with entitlements',
    request: `GET ${P}`,
    query: () => ({ includeEntitlements: 'true' }),
    status: 200,
    reply: json(project),
  },
  {
    ...platform,
    call: 'projects.update',
    request: `PATCH ${P}`,
    body: () => ({ updateMask: ['appName'], project: { appName: 'Renamed' } }),
    status: 200,
    reply: json(project),
  },
  {
    ...platform,
    call: 'projects.delete',
    request: `DELETE ${P}`,
    as: 'builder',
    fresh: freshProject,
    status: 204,
    reply: 'nothing',
  },
];

/** API reference, section F, but for metadata. */
export const keys: readonly Replay[] = [
  {
    ...api,
    call: 'createApiKey',
    request: `POST ${P}/api-keys`,
    body: () => ({ label: 'replayed', scopes: ['frontend'] }),
    status: 201,
    reply: json(apiKey),
  },
  { ...api, call: 'listApiKeys', request: `GET ${P}/api-keys`, status: 200, reply: json(listOf(apiKey)) },
  {
    ...api,
    call: 'listApiKeys, active ones',
    request: `GET ${P}/api-keys`,
    query: () => ({ active: 'true' }),
    status: 200,
    reply: json(listOf(apiKey)),
  },
  { ...api, call: 'getApiKey', request: `GET ${P}/api-keys/{apiKeyId}`, status: 200, reply: json(apiKey) },
  {
    ...api,
    call: 'updateApiKey',
    request: `PATCH ${P}/api-keys/{apiKeyId}`,
    body: () => ({ updateMask: ['label', 'active'], apiKey: { label: 'again', active: true } }),
    status: 200,
    reply: json(apiKey),
  },
  {
    ...api,
    call: 'deleteApiKey',
    request: `DELETE ${P}/api-keys/{apiKeyId}`,
    fresh: freshApiKey,
    status: 204,
    reply: 'nothing',
  },
  {
    ...api,
    call: 'createJwtKey',
    request: `POST ${P}/jwt-keys`,
    body: (_ids, { publicKeyPem }) => ({ label: 'replayed', algorithm: 'RS256', publicKeyPem }),
    status: 201,
    reply: json(newJwtKey),
  },
  {
    ...api,
    call: 'createJwtKey, no key',
    request: `POST ${P}/jwt-keys`,
    body: () => ({ label: 'replayed', algorithm: 'RS256', publicKeyPem: 'none' }),
    status: 400,
    reply: invalidInput,
    differs: 'application/problem+json where application/json is published',
  },
  { ...api, call: 'listJwtKeys', request: `GET ${P}/jwt-keys`, status: 200, reply: json(listOf(jwtKey)) },
  { ...api, call: 'getJwtKey', request: `GET ${P}/jwt-keys/{jwtKeyId}`, status: 200, reply: json(jwtKey) },
  {
    ...api,
    call: 'updateJwtKey',
    request: `PATCH ${P}/jwt-keys/{jwtKeyId}`,
    body: () => ({ updateMask: ['active'], jwtKey: { active: true } }),
    status: 200,
    reply: json(jwtKey),
  },
  {
    ...api,
    call: 'deleteJwtKey',
    request: `DELETE ${P}/jwt-keys/{jwtKeyId}`,
    fresh: freshJwtKey,
    status: 204,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'providers.list',
    request: 'GET /providers',
    status: 200,
    reply: json(mapOf(providerInfo)),
    differs:
      'as published, and the SDK shows no provider: it tries each reply as a problem first, whose members are all optional; use `providers.get`',
  },
  { ...platform, call: 'providers.get', request: 'GET /providers/{provider}', status: 200, reply: json(providerInfo) },
];

/** API reference, section E: provider apps. */
export const providerApps: readonly Replay[] = [
  {
    ...platform,
    call: 'providerApps.list',
    request: `GET ${P}/provider-apps`,
    status: 200,
    reply: json(listOf(providerApp)),
  },
  {
    ...platform,
    call: 'providerApps.create',
    request: `POST ${P}/provider-apps`,
    body: () => app,
    status: 200,
    reply: json(providerApp),
  },
  {
    ...platform,
    call: 'providerApps.create, a member missing',
    request: `POST ${P}/provider-apps`,
    body: () => ({ provider: 'hubspot', clientId: 'client' }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'providerApps.update',
    request: `PATCH ${P}/provider-apps/{providerAppId}`,
    body: () => ({ updateMask: ['scopes', 'externalRef'], providerApp: { scopes: ['oauth'], externalRef: 'r' } }),
    status: 200,
    reply: json(providerApp),
  },
  {
    ...platform,
    call: 'providerApps.delete',
    request: `DELETE ${P}/provider-apps/{providerAppId}`,
    fresh: freshProviderApp,
    status: 204,
    reply: 'nothing',
  },
];

/** API reference, section D. */
export const operations: readonly Replay[] = [
  {
    ...platform,
    call: 'operations.list',
    request: `GET ${P}/integrations/{integrationId}/installations/{installationId}/operations`,
    query: () => ({ pageSize: '1' }),
    status: 200,
    reply: json(operationPage),
  },
  {
    ...platform,
    call: 'operations.list, a page size too large',
    request: `GET ${P}/integrations/{integrationId}/installations/{installationId}/operations`,
    query: () => ({ pageSize: '1001' }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'operations.get',
    request: `GET ${P}/operations/{operationId}`,
    status: 200,
    reply: json(operation),
  },
  {
    ...platform,
    call: 'operations.listLogs',
    request: `GET ${P}/operations/{operationId}/logs`,
    status: 200,
    reply: json(logs),
  },
];

/** API reference, section E: the OAuth page. */
export const authorizations: readonly Replay[] = [
  {
    ...platform,
    call: 'oauth.connect',
    request: 'POST /oauth-connect',
    body: ({ projectIdOrName, groupRef }) => ({
      projectIdOrName,
      groupRef,
      provider: 'hubspot',
      consumerRef: 'anna',
      consumerName: 'Anna',
      groupName: 'Acme',
      enableCSRFProtection: false,
    }),
    status: 200,
    reply: plainText,
  },
  {
    ...platform,
    call: 'oauth.connect, projectId',
    request: 'POST /oauth-connect',
    body: ({ projectIdOrName, groupRef }) => ({
      projectId: projectIdOrName,
      groupRef,
      provider: 'hubspot',
      consumerRef: 'anna',
    }),
    status: 200,
    reply: plainText,
  },
  {
    ...platform,
    call: 'oauth.connect, a member missing',
    request: 'POST /oauth-connect',
    body: ({ projectIdOrName, groupRef }) => ({ projectIdOrName, groupRef, provider: 'hubspot' }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'oauth.update',
    request: `PATCH ${P}/connections/{connectionId}:oauth-update`,
    status: 200,
    reply: plainText,
  },
];
