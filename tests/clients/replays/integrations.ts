import { connection, installation } from '../published/access';
import { hydratedRevision, integration, objectMetadata } from '../published/resources';
import { listOf } from '../published/shape';
import { freshConnection, freshInstallation, freshIntegration, type Ids } from '../../security/tenancy/world';
import { invalidInput, json, problem, type Replay } from '../replay';

const P = '/projects/{projectIdOrName}';
const I = `${P}/integrations/{integrationId}`;
const platform = { client: 'sdk-node-platform', base: 'baseUrl' } as const;
const amp = { client: 'amp', base: 'baseUrl' } as const;
const api = { client: 'published API', base: 'baseUrl' } as const;

const manifest = (name: string) => ({
  name,
  provider: 'hubspot',
  read: { objects: [{ objectName: 'contacts', destination: 'hook', schedule: '*/30 * * * *' }] },
  write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
});
const yaml = (name: string) => `specVersion: 1.0.0\nintegrations:\n  - ${JSON.stringify(manifest(name))}\n`;

/** API reference, section B. */
export const integrations: readonly Replay[] = [
  {
    ...platform,
    call: 'integrations.list',
    request: `GET ${P}/integrations`,
    status: 200,
    reply: json(listOf(integration)),
  },
  {
    ...amp,
    call: 'list:integrations',
    request: `GET ${P}/integrations`,
    status: 200,
    reply: json(listOf(integration)),
  },
  {
    ...platform,
    call: 'integrations.create',
    request: `POST ${P}/integrations`,
    body: (_ids, { next }) => {
      const name = `replayed-${next()}`;
      return { name, provider: 'hubspot', latestRevision: { specVersion: '1.0.0', content: manifest(name) } };
    },
    status: 201,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'integrations.create, a member missing',
    request: `POST ${P}/integrations`,
    body: () => ({ name: 'half', provider: 'hubspot' }),
    status: 400,
    reply: invalidInput,
  },
  { ...api, call: 'getIntegration, by id', request: `GET ${I}`, status: 200, reply: json(integration) },
  {
    ...api,
    call: 'getIntegration, by name',
    request: `GET ${P}/integrations/{integrationName}`,
    status: 200,
    reply: json(integration),
  },
  {
    ...api,
    call: 'getIntegration, unknown',
    request: `GET ${P}/integrations/nobody`,
    status: 404,
    reply: problem,
  },
  {
    ...platform,
    call: 'integrations.delete',
    request: `DELETE ${I}`,
    fresh: freshIntegration,
    status: 204,
    reply: 'nothing',
  },
  {
    ...amp,
    call: 'delete:integration',
    request: `DELETE ${I}`,
    fresh: freshIntegration,
    status: 204,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'integrations.batchUpsert, sourceYaml',
    request: `PUT ${P}/integrations:batch`,
    body: () => ({ sourceYaml: yaml('deployed') }),
    status: 200,
    reply: json(listOf(integration)),
  },
  {
    ...platform,
    call: 'revisions.create, sourceYaml',
    request: `POST ${I}/revisions`,
    fresh: freshIntegration,
    body: ({ integrationName }) => ({ sourceYaml: yaml(integrationName) }),
    status: 201,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'revisions.hydrate',
    request: `GET ${I}/revisions/{revisionId}:hydrate`,
    query: ({ connectionId }) => ({ connectionId }),
    status: 200,
    reply: json(hydratedRevision),
  },
  {
    ...platform,
    call: 'objectsAndFields.getMetadata',
    request: `GET ${I}/objects/{objectName}/metadata`,
    query: ({ groupRef }) => ({ groupRef }),
    status: 200,
    reply: json(objectMetadata),
  },
  {
    ...platform,
    call: 'objectsAndFields.getObjectMetadataForConnection',
    request: `GET ${P}/providers/{provider}/objects/{objectName}/metadata`,
    query: ({ groupRef }) => ({ groupRef, excludeReadOnly: 'true' }),
    status: 200,
    reply: json(objectMetadata),
  },
];

const readObject = { objectName: 'contacts', selectedFields: { email: true }, selectedFieldMappings: {} };
const writeObject = {
  objectName: 'contacts',
  deletionSettings: { enabled: true },
  selectedFieldSettings: { lastname: { default: { stringValue: 'Doe' }, writeOnUpdate: 'never' } },
};
const content = {
  provider: 'hubspot',
  read: { objects: { contacts: readObject } },
  write: { objects: { contacts: writeObject } },
};
const changed = (updateMask: readonly string[], more: object = {}) => ({
  updateMask,
  installation: { config: { content, createdBy: 'builder:anna' }, ...more },
});
const patch = { ...api, request: `PATCH ${I}/objects/{objectName}/config-content` } as const;
const update = { ...platform, request: `PATCH ${I}/installations/{installationId}` } as const;
const made = { status: 200, reply: json(installation) } as const;

/** API reference, section C. */
export const installations: readonly Replay[] = [
  {
    ...platform,
    call: 'installations.list',
    request: `GET ${I}/installations`,
    query: ({ groupRef }) => ({ groupRef }),
    status: 200,
    reply: json(listOf(installation)),
  },
  {
    ...amp,
    call: 'list:installations',
    request: `GET ${I}/installations`,
    status: 200,
    reply: json(listOf(installation)),
  },
  {
    ...api,
    call: 'listInstallationsForProject',
    request: `GET ${P}/installations`,
    status: 200,
    reply: json(listOf(installation)),
  },
  {
    ...platform,
    call: 'installations.create',
    request: `POST ${I}/installations`,
    fresh: freshIntegration,
    body: ({ groupRef, connectionId }) => ({
      groupRef,
      connectionId,
      config: { createdBy: 'api:create-installation', content },
    }),
    status: 201,
    reply: json(installation),
  },
  {
    ...api,
    call: "createInstallation, the group's connection",
    request: `POST ${I}/installations`,
    query: () => ({ skipSampling: 'true' }),
    fresh: freshIntegration,
    body: ({ groupRef }) => ({ groupRef, config: { content: { provider: 'hubspot', write: {} } } }),
    status: 201,
    reply: json(installation),
  },
  {
    ...platform,
    call: 'installations.create, two defaults in one setting',
    request: `POST ${I}/installations`,
    fresh: freshIntegration,
    body: ({ groupRef, connectionId }) => ({ groupRef, connectionId, config: { content: twoDefaults } }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'installations.create, a mapping to a field that the account lacks',
    request: `POST ${I}/installations`,
    fresh: freshIntegration,
    body: ({ groupRef, connectionId }) => ({ groupRef, connectionId, config: { content: unknownField } }),
    status: 422,
    reply: invalidInput,
  },
  { ...platform, call: 'installations.get', request: `GET ${I}/installations/{installationId}`, ...made },
  { ...amp, call: 'get:installation', request: `GET ${I}/installations/{installationId}`, ...made },
  {
    ...update,
    call: 'installations.update, one object and the author',
    body: () => changed(['config.content.write.objects.contacts', 'config.createdBy']),
    ...made,
  },
  {
    ...update,
    call: 'installations.update, the whole map of writes',
    body: () => changed(['config.content.write.objects']),
    ...made,
  },
  {
    ...update,
    call: 'installations.update, a read object',
    body: () => changed(['config.content.read.objects.contacts']),
    ...made,
  },
  {
    ...update,
    call: 'installations.update, the connection',
    body: ({ connectionId }) => changed(['connectionId'], { connectionId }),
    ...made,
  },
  {
    ...update,
    call: 'installations.update, proxy',
    body: () => ({
      updateMask: ['config.content.proxy.enabled'],
      installation: { config: { content: { proxy: { enabled: true } } } },
    }),
    ...made,
  },
  { ...update, call: 'installations.update, nothing', body: () => changed([]), ...made },
  {
    ...update,
    call: 'installations.update, an unknown path',
    body: () => changed(['config.content.writes']),
    status: 400,
    reply: invalidInput,
  },
  {
    ...patch,
    call: 'updateObjectConfigContent, by group',
    body: ({ groupRef }) => ({
      groupRef,
      action: 'write',
      changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: false } }],
    }),
    ...made,
  },
  {
    ...patch,
    call: 'updateObjectConfigContent, by installation',
    body: ({ installationId }) => ({
      installationId,
      action: 'read',
      changes: [{ op: 'replace', path: '/selectedFields', value: { email: true, phone: true } }],
    }),
    ...made,
  },
  {
    ...patch,
    call: 'updateObjectConfigContent, a path that is not there',
    body: ({ groupRef }) => ({ groupRef, action: 'write', changes: [{ op: 'remove', path: '/nothing' }] }),
    status: 422,
    reply: invalidInput,
    differs: '422 where 400 is published: the path contradicts what is stored',
  },
  {
    ...platform,
    call: 'installations.delete',
    request: `DELETE ${I}/installations/{installationId}`,
    fresh: freshInstallation,
    status: 204,
    reply: 'nothing',
  },
  {
    ...amp,
    call: 'delete:installation',
    request: `DELETE ${I}/installations/{installationId}`,
    fresh: freshInstallation,
    status: 204,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'groups.create',
    request: `POST ${P}/groups`,
    body: (_ids, { next }) => ({ groupRef: next(), groupName: 'Acme' }),
    status: 201,
    reply: 'nothing',
  },
  {
    ...platform,
    call: 'consumers.create',
    request: `POST ${P}/consumers`,
    body: (_ids, { next }) => ({ consumerRef: next(), consumerName: 'Anna' }),
    status: 201,
    reply: 'nothing',
  },
];

const twoDefaults = {
  provider: 'hubspot',
  write: {
    objects: {
      contacts: {
        objectName: 'contacts',
        selectedFieldSettings: { phone: { default: { stringValue: 'x', integerValue: 1 } } },
      },
    },
  },
};
const unknownField = {
  provider: 'hubspot',
  read: { objects: { contacts: { ...readObject, selectedFieldMappings: { position: 'nowhere' } } } },
};

const generate = { ...platform, request: `POST ${P}/connections:generate` } as const;
const member = `${P}/connections/{connectionId}`;
const oauth = ({ groupRef }: Ids, token: string) => ({
  groupRef,
  groupName: 'Acme',
  consumerRef: `${groupRef}-user`,
  consumerName: 'Anna',
  provider: 'hubspot',
  oauth2AuthorizationCode: { accessToken: { token }, scopes: ['oauth'] },
});

/** API reference, section E: connections. */
export const connections: readonly Replay[] = [
  {
    ...platform,
    call: 'connections.list',
    request: `GET ${P}/connections`,
    query: ({ groupRef, provider }) => ({ groupRef, provider }),
    status: 200,
    reply: json(listOf(connection)),
  },
  {
    ...amp,
    call: 'list:connections',
    request: `GET ${P}/connections`,
    status: 200,
    reply: json(listOf(connection)),
  },
  {
    ...generate,
    call: 'connections.generate, tokens',
    body: (ids, { customer }) => oauth(ids, customer.account.token),
    status: 201,
    reply: json(connection),
  },
  {
    ...generate,
    call: 'connections.generate, an API key',
    body: ({ groupRef }, { customer }) => ({
      groupRef,
      consumerRef: `${groupRef}-user`,
      provider: 'hubspot',
      apiKey: customer.account.token,
    }),
    status: 201,
    reply: json(connection),
  },
  {
    ...generate,
    call: 'connections.generate, a token that is refused',
    body: (ids) => oauth(ids, 'wrong'),
    status: 422,
    reply: invalidInput,
  },
  { ...platform, call: 'connections.get', request: `GET ${member}`, status: 200, reply: json(connection) },
  {
    ...platform,
    call: 'connections.get, with its secrets',
    request: `GET ${member}`,
    query: () => ({ includeCreds: 'true', refresh: 'ifExpired' }),
    status: 200,
    reply: json(connection),
  },
  {
    ...platform,
    call: 'connections.update',
    request: `PATCH ${member}`,
    body: () => ({
      updateMask: ['providerMetadata'],
      connection: { providerMetadata: { region: { value: 'eu', source: 'input' } } },
    }),
    status: 200,
    reply: json(connection),
  },
  {
    ...platform,
    call: 'connections.update, an unknown mask',
    request: `PATCH ${member}`,
    body: () => ({ updateMask: ['status'], connection: {} }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'connections.delete',
    request: `DELETE ${member}`,
    fresh: freshConnection,
    status: 204,
    reply: 'nothing',
  },
];
