import type {
  Config,
  Connection,
  Consumer,
  Group,
  Installation,
  Integration,
  ManifestIntegration,
  Project,
  ProviderInfo,
  WebhookEndpoint,
} from '@sluice/types';
import {
  endedAt,
  explanation,
  id,
  installationHealth,
  installedAt,
  integrationId,
  lane,
  log,
  operation,
  overview,
  progress,
  projectId,
  records,
  writtenAt,
} from './operations/operation-examples';

// Who reads the reference meets one customer throughout: the group demo-group of the project demo, which writes contacts to HubSpot. The
// ids of paths are those of parameterMeanings.

const project: Project = {
  id: projectId,
  name: 'demo',
  appName: 'Demo',
  orgId: 'acme',
  createTime: '2026-11-20T09:00:00.000Z',
};

const apiKey = {
  id: id(7),
  key: id(7),
  projectId,
  label: 'backend',
  scopes: ['write', 'search'],
  active: true,
  createTime: '2026-11-20T09:01:00.000Z',
};

const publicKeyPem =
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA…\n-----END PUBLIC KEY-----\n';
const jwtKey = {
  id: id(7),
  projectId,
  label: 'browser',
  algorithm: 'RSA',
  publicKeyPem,
  active: true,
  createTime: '2026-11-20T09:02:00.000Z',
  updateTime: '2026-11-20T09:02:00.000Z',
};

const manifest: ManifestIntegration = {
  name: 'crm',
  displayName: 'HubSpot',
  provider: 'hubspot',
  read: {
    objects: [
      {
        objectName: 'contacts',
        destination: '',
        schedule: '',
        requiredFields: [{ fieldName: 'email' }],
        optionalFields: [
          { mapToName: 'position', mapToDisplayName: 'Position', prompt: 'Which field holds the position?' },
        ],
      },
    ],
  },
  write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
};

const integration: Integration = {
  id: integrationId,
  projectId,
  name: 'crm',
  provider: 'hubspot',
  createTime: '2026-11-20T09:10:00.000Z',
  latestRevision: { id: id(5), specVersion: '1.0.0', createTime: '2026-11-20T09:10:00.000Z', content: manifest },
};

const group: Group = { groupRef: 'demo-group', groupName: 'Demo group', projectId, createTime: installedAt };
const consumer: Consumer = { consumerRef: 'ann', consumerName: 'Ann', projectId, createTime: installedAt };

const connection: Connection = {
  id: id(3),
  projectId,
  provider: 'hubspot',
  group,
  consumer,
  providerWorkspaceRef: '84559852',
  createTime: installedAt,
  updateTime: writtenAt,
  authScheme: 'oauth2/authorizationCode',
  status: 'working',
  providerMetadata: { workspace: { source: 'input', value: '84559852' } },
};

const config: Config = {
  id: id(2),
  revisionId: id(5),
  createTime: installedAt,
  createdBy: 'consumer:ann',
  content: {
    provider: 'hubspot',
    read: {
      objects: {
        contacts: { objectName: 'contacts', selectedFields: {}, selectedFieldMappings: { position: 'jobtitle' } },
      },
    },
    write: {
      objects: {
        contacts: {
          objectName: 'contacts',
          selectedFieldSettings: {
            hs_lead_status: { default: { stringValue: 'NEW' }, writeOnUpdate: 'never' },
            phone: { writeOnUpdate: 'ifEmpty' },
          },
        },
      },
    },
  },
};

const installation: Installation = {
  id: id(1),
  projectId,
  integrationId,
  group,
  healthStatus: 'healthy',
  lastOperationStatus: 'success',
  connection,
  createTime: installedAt,
  createdBy: 'consumer:ann',
  updateTime: installedAt,
  config,
};

const providerApp = {
  id: id(6),
  projectId,
  provider: 'hubspot',
  clientId: '0f2c9a14-6d55-4f0b-9d0c-3a3f6a1f8f0e',
  scopes: ['crm.objects.contacts.write'],
  createTime: '2026-11-20T09:05:00.000Z',
};

const webhookEndpoint: WebhookEndpoint = {
  id: id(8),
  projectId,
  url: 'https://example.com/sluice',
  description: 'Results of writes',
  eventTypes: ['write.async.done'],
  status: 'enabled',
  createTime: '2026-11-20T09:20:00.000Z',
};
const secret = 'whsec_4mqOqRZF7WIUKL9b1FFvqXJJYDAy/Li/nThJplRb/NA=';

const webhookMessage = {
  id: id(9),
  endpointId: id(8),
  notificationType: 'write.async.done',
  status: 'delivered',
  attempts: 1,
  createTime: endedAt,
  endTime: '2026-11-20T10:05:00.910Z',
};

const contactField = (fieldName: string, displayName: string) => ({
  fieldName,
  displayName,
  valueType: 'string',
  providerType: 'string',
  readOnly: false,
  isCustom: false,
  isRequired: false,
});
const contactFields = { email: contactField('email', 'Email'), jobtitle: contactField('jobtitle', 'Job title') };

const providerInfo: ProviderInfo = {
  name: 'hubspot',
  displayName: 'HubSpot',
  baseURL: 'https://api.hubapi.com',
  authType: 'oauth2',
  defaultModule: '',
  oauth2Opts: {
    grantType: 'authorizationCode',
    authURL: 'https://app.hubspot.com/oauth/authorize',
    tokenURL: 'https://api.hubapi.com/oauth/v1/token',
    explicitScopesRequired: true,
    explicitWorkspaceRequired: false,
    tokenMetadataFields: { workspaceRefField: 'hub_id', consumerRefField: 'user_id', scopesField: 'scopes' },
  },
  support: {
    bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    batchWrite: {
      create: { supported: true, defaultRecordLimit: 100 },
      update: { supported: true, defaultRecordLimit: 100 },
      upsert: { supported: false },
      delete: { supported: false },
    },
    proxy: false,
    read: false,
    write: true,
    subscribe: false,
    delete: true,
    search: { operators: { equals: true } },
  },
  providerOpts: {},
};

/** The only reply that shows a key. */
export const createdApiKey = {
  created: {
    summary: 'With the key, which is shown once',
    value: { ...apiKey, key: `sk_${projectId}_OxtlATzI2a6JKnxfGIfzRCKPLo7TtS9LN7Q0O1AzXfM` },
  },
};

/** The reply of what begins an authorization: text. */
export const authorizationUrl = {
  url: {
    summary: "The provider's page",
    value: `https://app.hubspot.com/oauth/authorize?client_id=${providerApp.clientId}&redirect_uri=https%3A%2F%2Fsluice.example%2Fcallbacks%2Fv1%2Foauth&state=…`,
  },
};

/** What requests and replies of the management API show, by the name of their schema. A test checks each against it. */
export const managementExamples: Readonly<Record<string, unknown>> = {
  Project: project,
  CreateProjectRequest: { name: 'demo', appName: 'Demo', orgId: 'acme' },
  UpdateProjectRequest: { updateMask: ['dropUnmappedFields'], project: { dropUnmappedFields: true } },
  ApiKey: apiKey,
  CreateApiKeyRequest: { label: 'backend', scopes: ['write', 'search'] },
  UpdateApiKeyRequest: { updateMask: ['active'], apiKey: { active: false } },
  JwtKey: jwtKey,
  CreateJwtKeyRequest: { label: 'browser', algorithm: 'RS256', publicKeyPem },
  CreateJwtKeyReply: { kid: id(7) },
  UpdateJwtKeyRequest: { updateMask: ['active'], jwtKey: { active: false } },
  Integration: integration,
  CreateIntegrationRequest: {
    name: 'crm',
    provider: 'hubspot',
    latestRevision: { specVersion: '1.0.0', content: manifest },
  },
  DeployManifestRequest: {
    sourceYaml:
      'specVersion: 1.0.0\nintegrations:\n  - name: crm\n    provider: hubspot\n    write: { objects: [{ objectName: contacts }] }\n',
  },
  ManifestPreview: {
    integrations: [
      {
        name: 'crm',
        provider: 'hubspot',
        change: 'revised',
        integrationId,
        before: { name: 'crm', provider: 'hubspot' },
        after: manifest,
      },
    ],
  },
  SignedUrl: {
    url: `https://sluice.example/v1/uploads/${projectId}.46HWVW1ImYWNjhEx3lagXNIOCQV50HIGNTF7Io_Vjyk`,
    bucket: 'sluice-uploads',
    path: `${projectId}/${id(13)}.zip`,
  },
  HydratedRevision: {
    id: id(5),
    specVersion: '1.0.0',
    createTime: '2026-11-20T09:10:00.000Z',
    content: {
      name: 'crm',
      displayName: 'HubSpot',
      provider: 'hubspot',
      read: {
        objects: [
          {
            objectName: 'contacts',
            displayName: 'Contacts',
            destination: '',
            schedule: '',
            requiredFields: [{ fieldName: 'email', displayName: 'Email' }],
            allFieldsMetadata: contactFields,
          },
        ],
      },
      write: { objects: [{ objectName: 'contacts', displayName: 'Contacts', inheritMapping: true }] },
    },
  },
  ObjectMetadata: { name: 'contacts', displayName: 'Contacts', fields: contactFields },
  Connection: connection,
  GenerateConnectionRequest: {
    groupRef: 'demo-group',
    consumerRef: 'ann',
    provider: 'hubspot',
    oauth2AuthorizationCode: { accessToken: { token: 'pat-na1-…' } },
  },
  UpdateConnectionRequest: {
    updateMask: ['oauth2AuthorizationCode'],
    connection: { oauth2AuthorizationCode: { accessToken: { token: 'pat-na1-…' } } },
  },
  OauthConnectRequest: { projectIdOrName: 'demo', provider: 'hubspot', groupRef: 'demo-group', consumerRef: 'ann' },
  Installation: installation,
  CreateInstallationRequest: {
    groupRef: 'demo-group',
    config: { content: { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } } },
  },
  UpdateInstallationRequest: {
    updateMask: ['config.content.write.objects.contacts'],
    installation: {
      config: {
        content: { write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } } },
      },
    },
  },
  PatchConfigContentRequest: {
    groupRef: 'demo-group',
    action: 'write',
    changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }],
  },
  Config: config,
  ConfigVersion: {
    ...config,
    previousConfigId: id(14),
    changes: [{ op: 'remove', path: '/write/objects/contacts/deletionSettings' }],
  },
  Operation: operation,
  OperationRecordListReply: { results: records, pagination: { done: true } },
  OperationListReply: { results: [operation], pagination: { done: false, nextPageToken: 'AaIWJn5Ycj-Ra0ReSh85Zg' } },
  Log: log,
  OperationProgress: progress,
  OperationExplanation: explanation,
  Lane: lane,
  Overview: overview,
  InstallationHealth: installationHealth,
  InstallationHealthListReply: { results: [installationHealth], pagination: { done: true } },
  LaneListReply: { results: [lane], pagination: { done: true } },
  ProviderApp: providerApp,
  CreateProviderAppRequest: {
    provider: 'hubspot',
    clientId: providerApp.clientId,
    clientSecret: '…',
    scopes: ['crm.objects.contacts.write'],
  },
  UpdateProviderAppRequest: { updateMask: ['clientSecret'], providerApp: { clientSecret: '…' } },
  WebhookEndpoint: webhookEndpoint,
  CreateWebhookEndpointRequest: {
    url: webhookEndpoint.url,
    description: 'Results of writes',
    eventTypes: ['write.async.done'],
  },
  CreatedWebhookEndpoint: { ...webhookEndpoint, secret },
  UpdateWebhookEndpointRequest: { updateMask: ['status'], webhookEndpoint: { status: 'disabled' } },
  WebhookSecret: { secret },
  WebhookMessage: webhookMessage,
  WebhookMessageListReply: { results: [webhookMessage], pagination: { done: true } },
  WebhookMessageWithPayload: {
    ...webhookMessage,
    payload: {
      version: '1',
      id: id(9),
      notificationType: 'write.async.done',
      createTime: endedAt,
      data: {
        projectId,
        provider: 'hubspot',
        integrationId,
        integrationName: 'crm',
        installationId: id(1),
        groupRef: 'demo-group',
        groupName: 'Demo group',
        connectionId: id(3),
        consumerRef: 'ann',
        consumerName: 'Ann',
        operationId: id(4),
        objectName: 'contacts',
        success: true,
        successfulRecordIds: ['171590322766'],
      },
    },
  },
  WebhookAttempt: { number: 1, startTime: endedAt, class: 'delivered', responseStatus: 204, durationMs: 81 },
  WebhookReplayReply: { replayed: 3, isComplete: true },
  ProviderInfo: providerInfo,
  ProviderCatalogue: { hubspot: providerInfo },
};
