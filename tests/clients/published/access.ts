import { operationStatus } from './resources';
import { anything, count, flag, listOf, mapOf, moment, oneOf, shape, text } from './shape';

/** The published resources around who calls and what is connected, from the API reference, sections C, E and F. */

export const providerApp = shape(
  { id: text, projectId: text, provider: text, clientId: text, createTime: moment },
  {
    externalRef: text,
    scopes: listOf(text),
    updateTime: moment,
    metadata: shape({}, { authQueryParams: mapOf(listOf(text)), providerParams: mapOf(text) }),
  },
);

const group = shape({ groupRef: text, groupName: text, projectId: text, createTime: moment }, { updateTime: moment });
const consumer = shape(
  { consumerRef: text, consumerName: text, projectId: text, createTime: moment },
  { updateTime: moment },
);
const token = shape({ token: text }, { issuedAt: moment, expiresAt: moment });

export const connection = shape(
  {
    id: text,
    projectId: text,
    provider: text,
    group,
    consumer,
    createTime: moment,
    authScheme: oneOf(
      'none',
      'apiKey',
      'basic',
      'oauth2/authorizationCode',
      'oauth2/authorizationCodePKCE',
      'oauth2/clientCredentials',
      'oauth2/password',
    ),
    status: oneOf('created', 'working', 'bad_credentials'),
  },
  {
    providerApp,
    providerWorkspaceRef: text,
    providerConsumerRef: text,
    updateTime: moment,
    apiKey: text,
    providerMetadata: mapOf(shape({ value: text, source: oneOf('input', 'token', 'provider') }, { displayName: text })),
    oauth2AuthorizationCode: shape({}, { accessToken: token, refreshToken: token, scopes: listOf(text) }),
  },
);

const setting = oneOf('always', 'never');
const writeObjectConfig = shape(
  { objectName: text },
  {
    deletionSettings: shape({ enabled: flag }),
    selectedFieldSettings: mapOf(
      shape(
        {},
        {
          default: shape({}, { stringValue: text, integerValue: { type: 'integer' }, booleanValue: flag }),
          writeOnCreate: setting,
          writeOnUpdate: oneOf('always', 'never', 'ifEmpty'),
        },
      ),
    ),
    selectedValueDefaults: mapOf(anything),
    // Of the specification.
    inheritMapping: flag,
  },
);
const readObjectConfig = shape(
  { objectName: text, selectedFields: mapOf(flag), selectedFieldMappings: mapOf(text) },
  {
    schedule: text,
    disabled: flag,
    destination: text,
    selectedValueMappings: mapOf(mapOf(text)),
    dynamicMappingsInput: listOf(anything),
    selectedFieldsAuto: oneOf('all'),
    backfill: anything,
    fieldFilters: listOf(anything),
  },
);
const configContent = shape(
  { provider: text },
  {
    // `objects` is required by the published browser client, which reads it without asking.
    read: shape({ objects: mapOf(readObjectConfig) }),
    write: shape({}, { objects: mapOf(writeObjectConfig) }),
    subscribe: shape({ objects: anything }),
    proxy: shape({}, { enabled: flag }),
  },
);
const config = shape({ id: text, revisionId: text, createTime: moment, createdBy: text, content: configContent });

export const installation = shape(
  {
    id: text,
    projectId: text,
    integrationId: text,
    healthStatus: oneOf('healthy', 'unhealthy'),
    connection,
    createTime: moment,
    createdBy: text,
    config,
  },
  { group, lastOperationStatus: operationStatus, updateTime: moment },
);

/** What we say of a key besides. */
const madeAndUsed = { createdBy: text, createdByLabel: text, lastUseTime: moment };
export const apiKey = shape(
  { key: text, projectId: text, label: text, scopes: listOf(text) },
  { active: flag },
  // The published id of a key is the key itself; ours is a public one.
  { id: text, createTime: moment, prefix: text, ...madeAndUsed },
);
export const jwtKey = shape(
  {
    id: { type: 'string', format: 'uuid' },
    projectId: text,
    label: text,
    algorithm: oneOf('RSA'),
    publicKeyPem: text,
    active: flag,
    createTime: moment,
    updateTime: moment,
  },
  {},
  madeAndUsed,
);
export const newJwtKey = shape({ kid: { type: 'string', format: 'uuid' } });

const operations = (...names: readonly string[]) => shape(Object.fromEntries(names.map((name) => [name, flag])));
const batch = shape({ supported: flag }, { defaultRecordLimit: count, objectRecordLimits: mapOf(count) });
const scope = shape({ scope: text, neededFor: oneOf('connection', 'object', 'write'), purpose: text });
const support = shape(
  {
    bulkWrite: operations('insert', 'update', 'upsert', 'delete'),
    proxy: flag,
    read: flag,
    write: flag,
    subscribe: flag,
    delete: flag,
    search: shape({ operators: shape({ equals: flag }) }),
  },
  { batchWrite: shape({ create: batch, update: batch, upsert: batch, delete: batch }), subscribeSupport: anything },
);
const input = shape({ name: text }, { displayName: text, prompt: text, docsURL: text, defaultValue: text });
export const providerInfo = shape(
  {
    name: text,
    baseURL: text,
    authType: oneOf('oauth2', 'apiKey', 'basic', 'jwt', 'custom', 'none'),
    support,
    defaultModule: text,
    // Of the older Node SDK, which drops a reply without it.
    providerOpts: mapOf(text),
  },
  {
    displayName: text,
    postAuthInfoNeeded: flag,
    labels: mapOf(text),
    media: anything,
    authHealthCheck: anything,
    modules: anything,
    metadata: shape({}, { input: listOf(input), postAuthentication: listOf(shape({ name: text })) }),
    providerAppMetadata: anything,
    oauth2Opts: shape(
      {
        grantType: oneOf('authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'),
        tokenURL: text,
        explicitScopesRequired: flag,
        explicitWorkspaceRequired: flag,
        tokenMetadataFields: shape(
          {},
          { workspaceRefField: text, consumerRefField: text, scopesField: text, otherFields: listOf(text) },
        ),
      },
      { authURL: text, audience: listOf(text), docsURL: text },
      { scopes: listOf(scope), redirectURL: text },
    ),
    apiKeyOpts: shape(
      { attachmentType: oneOf('query', 'header') },
      { query: shape({ name: text }), header: shape({ name: text }, { valuePrefix: text }), docsURL: text },
    ),
    basicOpts: shape(
      {},
      {
        apiKeyAsBasic: flag,
        apiKeyAsBasicOpts: shape({}, { fieldUsed: oneOf('username', 'password'), keyFormat: text }),
        docsURL: text,
      },
    ),
  },
);
