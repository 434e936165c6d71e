import { row, type Row } from './row';
import {
  freshApiKey,
  freshConnectSession,
  freshConnection,
  freshFailure,
  freshInstallation,
  freshIntegration,
  freshJwtKey,
  freshOperation,
  freshProject,
  freshProviderApp,
  freshWebhook,
  deafWebhook,
  type Ids,
  type World,
} from './world';

const project = '/projects/{projectIdOrName}';
const integration = `${project}/integrations/{integrationId}`;
const installation = `${integration}/installations/{installationId}`;
const webhook = `${project}/webhook-endpoints/{endpointId}`;
const hubspot = { provider: 'hubspot' };
const content = { ...hubspot, write: { objects: { contacts: { objectName: 'contacts' } } } };
const manifest = (name: string) => ({ name, ...hubspot, read: { objects: [{ objectName: 'contacts' }] } });
const email = (next: string) => ({ email: `tenancy-${next}@example.com` });
const app = { ...hubspot, clientId: 'client', clientSecret: 'secret-of-the-app' };

const connect = ({ groupRef }: Ids, { customer }: World) => ({
  groupRef,
  consumerRef: `${groupRef}-user`,
  ...hubspot,
  oauth2AuthorizationCode: { accessToken: { token: customer.account.token } },
});

/** Who owns what: another key's project is not found; a bearer token of another group neither. */
const projects: Row[] = [
  //                                             full frontend read write search foreign admin token other
  row('management', 'GET /projects', '200 200 200 403 403 200 200 403 403'),
  row('management', 'POST /projects', '403 403 403 403 403 403 201 403 403', {
    body: (_ids, { next, stack }) => ({ name: `p-${stack.portBase}-${next()}x`, appName: 'App', orgId: 'org' }),
  }),
  row('management', `GET ${project}`, '200 200 200 403 403 404 200 200 200'),
  row('management', `PATCH ${project}`, '200 200 403 403 403 404 200 403 403', {
    body: () => ({ updateMask: ['appName'], project: { appName: 'App' } }),
  }),
  // Made anew it is of no caller but the bootstrap key. A key that deletes its own: tests/flows/project-deletion.test.ts.
  row('management', `DELETE ${project}`, '404 403 403 403 403 404 204 403 403', { fresh: freshProject }),
];

const keys: Row[] = [
  row('management', `GET ${project}/api-keys`, '200 403 200 403 403 404 200 403 403'),
  row('management', `POST ${project}/api-keys`, '201 403 403 403 403 404 201 403 403', {
    body: () => ({ label: 'tenancy', scopes: ['read'] }),
  }),
  row('management', `GET ${project}/api-keys/{keyId}`, '200 403 200 403 403 404 200 403 403'),
  row('management', `PATCH ${project}/api-keys/{keyId}`, '200 403 403 403 403 404 200 403 403', {
    body: () => ({ updateMask: ['label'], apiKey: { label: 'tenancy' } }),
  }),
  row('management', `DELETE ${project}/api-keys/{keyId}`, '204 403 403 403 403 404 204 403 403', {
    fresh: freshApiKey,
  }),
  row('management', `GET ${project}/jwt-keys`, '200 403 200 403 403 404 200 403 403'),
  row('management', `POST ${project}/jwt-keys`, '201 403 403 403 403 404 201 403 403', {
    body: (_ids, { publicKeyPem }) => ({ label: 'tenancy', algorithm: 'RS256', publicKeyPem }),
  }),
  row('management', `GET ${project}/jwt-keys/{keyId}`, '200 403 200 403 403 404 200 403 403'),
  row('management', `PATCH ${project}/jwt-keys/{keyId}`, '200 403 403 403 403 404 200 403 403', {
    body: () => ({ updateMask: ['label'], jwtKey: { label: 'tenancy' } }),
  }),
  row('management', `DELETE ${project}/jwt-keys/{keyId}`, '204 403 403 403 403 404 204 403 403', {
    fresh: freshJwtKey,
  }),
  row('management', `GET ${project}/provider-apps`, '200 200 200 403 403 404 403 200 200'),
  row('management', `POST ${project}/provider-apps`, '200 403 403 403 403 404 403 403 403', { body: () => app }),
  row('management', `GET ${project}/provider-apps/{providerAppId}`, '200 403 200 403 403 404 403 403 403'),
  row('management', `PATCH ${project}/provider-apps/{providerAppId}`, '200 403 403 403 403 404 403 403 403', {
    body: () => ({ updateMask: ['externalRef'], providerApp: { externalRef: 'x' } }),
  }),
  row('management', `DELETE ${project}/provider-apps/{providerAppId}`, '204 403 403 403 403 404 403 403 403', {
    fresh: freshProviderApp,
  }),
];

const webhooks: Row[] = [
  row('management', `GET ${project}/webhook-endpoints`, '200 403 200 403 403 404 403 403 403'),
  row('management', `POST ${project}/webhook-endpoints`, '201 403 403 403 403 404 403 403 403', {
    body: () => deafWebhook,
  }),
  row('management', `GET ${webhook}`, '200 403 200 403 403 404 403 403 403'),
  row('management', `PATCH ${webhook}`, '200 403 403 403 403 404 403 403 403', {
    body: () => ({ updateMask: ['description'], webhookEndpoint: { description: 'tenancy' } }),
  }),
  row('management', `DELETE ${webhook}`, '204 403 403 403 403 404 403 403 403', { fresh: freshWebhook }),
  row('management', `GET ${webhook}/secret`, '200 403 403 403 403 404 403 403 403'),
  row('management', `POST ${webhook}:rotate-secret`, '200 403 403 403 403 404 403 403 403'),
  row('management', `POST ${webhook}:test`, '202 403 403 403 403 404 403 403 403'),
  row('management', `POST ${webhook}:replay`, '202 403 403 403 403 404 403 403 403', {
    query: () => ({ since: '2026-01-01T00:00:00Z' }),
  }),
  row('management', `GET ${webhook}/messages`, '200 403 200 403 403 404 403 403 403'),
  row('management', `GET ${webhook}/messages/{messageId}`, '200 403 200 403 403 404 403 403 403'),
  row('management', `POST ${webhook}/messages/{messageId}:replay`, '202 403 403 403 403 404 403 403 403'),
  row('management', `GET ${webhook}/messages/{messageId}/attempts`, '200 403 200 403 403 404 403 403 403'),
];

const integrations: Row[] = [
  // The project is that of the key, so another project's key gets its own address, and the bootstrap key none.
  row('management', 'GET /generate-upload-url', '200 200 403 403 403 200 403 403 403'),
  row('management', `GET ${project}/integrations`, '200 200 200 403 403 404 403 200 200'),
  row('management', `POST ${project}/integrations`, '201 201 403 403 403 404 403 403 403', {
    body: (_ids, { next }) => {
      const name = `made-${next()}`;
      return { name, ...hubspot, latestRevision: { specVersion: '1.0.0', content: manifest(name) } };
    },
  }),
  row('management', `PUT ${project}/integrations:batch`, '200 200 403 403 403 404 403 403 403', {
    body: () => ({ sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [manifest('deployed')] }) }),
  }),
  row('management', `POST ${project}/integrations:preview`, '200 200 200 403 403 404 403 403 403', {
    body: () => ({ sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [manifest('deployed')] }) }),
  }),
  row('management', `GET ${integration}`, '200 200 200 403 403 404 403 200 200'),
  row('management', `DELETE ${integration}`, '204 204 403 403 403 404 403 403 403', { fresh: freshIntegration }),
  row('management', `POST ${integration}/revisions`, '201 201 403 403 403 404 403 403 403', {
    fresh: freshIntegration,
    body: ({ integrationName }) => ({
      sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: [manifest(integrationName)] }),
    }),
  }),
  row('management', `GET ${integration}/revisions/{revisionId}:hydrate`, '200 200 200 403 403 404 403 200 404', {
    query: ({ connectionId }) => ({ connectionId }),
  }),
  row('management', `GET ${integration}/objects/{objectName}/metadata`, '200 200 200 403 403 404 403 200 404', {
    query: ({ groupRef }) => ({ groupRef }),
  }),
  row(
    'management',
    `GET ${project}/providers/{provider}/objects/{objectName}/metadata`,
    '200 200 200 403 403 404 403 200 404',
    { query: ({ groupRef }) => ({ groupRef }) },
  ),
];

const connections: Row[] = [
  row('management', `GET ${project}/connections`, '200 200 200 403 403 404 403 200 200'),
  row('management', `POST ${project}/connections:generate`, '201 201 403 403 403 404 403 201 404', { body: connect }),
  row('management', `GET ${project}/connections/{connectionId}`, '200 200 200 403 403 404 403 200 404'),
  row('management', `PATCH ${project}/connections/{connectionId}`, '200 200 403 403 403 404 403 200 404', {
    body: () => ({
      updateMask: ['providerMetadata'],
      connection: { providerMetadata: { region: { value: 'eu', source: 'input' } } },
    }),
  }),
  row('management', `DELETE ${project}/connections/{connectionId}`, '204 204 403 403 403 404 403 204 404', {
    fresh: freshConnection,
  }),
  row('management', `PATCH ${project}/connections/{connectionId}:oauth-update`, '200 200 403 403 403 404 403 200 404'),
  // Never a bearer token: it needs no link for another, and a link acts for whoever is named.
  row('management', `POST ${project}/connect-sessions`, '201 403 403 201 403 404 403 403 403', {
    body: ({ integrationId, groupRef }) => ({ integration: integrationId, groupRef, consumerRef: `${groupRef}-user` }),
  }),
  row('management', `DELETE ${project}/connect-sessions/{connectSessionId}`, '204 403 403 204 403 404 403 403 403', {
    fresh: freshConnectSession,
  }),
  row('management', 'POST /oauth-connect', '200 200 403 403 403 404 403 200 404', {
    body: ({ projectIdOrName, groupRef }) => ({
      projectIdOrName,
      groupRef,
      consumerRef: `${groupRef}-user`,
      ...hubspot,
    }),
  }),
];

const installations: Row[] = [
  row('management', `GET ${project}/installations`, '200 200 200 403 403 404 403 200 200'),
  row('management', `GET ${integration}/installations`, '200 200 200 403 403 404 403 200 200'),
  row('management', `POST ${integration}/installations`, '201 201 403 403 403 404 403 201 404', {
    fresh: freshIntegration,
    body: ({ groupRef, connectionId }) => ({ groupRef, connectionId, config: { content } }),
  }),
  row('management', `GET ${installation}`, '200 200 200 403 403 404 403 200 404'),
  row('management', `PATCH ${installation}`, '200 200 403 403 403 404 403 200 404', {
    body: () => ({ updateMask: ['config.content.write.objects'], installation: { config: { content } } }),
  }),
  row('management', `DELETE ${installation}`, '204 204 403 403 403 404 403 204 404', { fresh: freshInstallation }),
  row('management', `PATCH ${integration}/objects/{objectName}/config-content`, '200 200 403 403 403 404 403 200 404', {
    body: ({ groupRef }) => ({
      groupRef,
      action: 'write',
      changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }],
    }),
  }),
];

const configs: Row[] = [
  row('management', `GET ${installation}/configs`, '200 200 200 403 403 404 403 200 404'),
  row('management', `GET ${installation}/configs/{configId}`, '200 200 200 403 403 404 403 200 404'),
  row('management', `POST ${installation}/configs/{configId}:restore`, '200 200 403 403 403 404 403 200 404'),
];

const compatibility: Row[] = [
  row('management', `POST ${project}/groups`, '201 201 403 403 403 404 403 403 403', {
    body: (_ids, { next }) => ({ groupRef: next(), groupName: 'Made' }),
  }),
  row('management', `POST ${project}/consumers`, '201 201 403 403 403 404 403 403 403', {
    body: (_ids, { next }) => ({ consumerRef: next(), consumerName: 'Made' }),
  }),
];

const operations: Row[] = [
  row('management', `GET ${installation}/operations`, '200 200 200 200 403 404 403 200 404'),
  row('management', `GET ${project}/operations`, '200 200 200 200 403 404 403 200 200'),
  row('management', `GET ${project}/operations/{operationId}`, '200 200 200 200 403 404 403 200 404'),
  row('management', `GET ${project}/operations/{operationId}/progress`, '200 200 200 200 403 404 403 200 404'),
  row('management', `GET ${project}/operations/{operationId}/records`, '200 200 200 200 403 404 403 200 404'),
  row('management', `GET ${project}/operations/{operationId}/logs`, '200 200 200 200 403 404 403 200 404'),
  // A lane names every group of its account, so it is not for a bearer token.
  row('management', `GET ${project}/lanes`, '200 200 200 403 403 404 403 403 403'),
  // Neither are the figures of all groups, nor how all installations are doing.
  row('management', `GET ${project}/installation-health`, '200 200 200 403 403 404 403 403 403'),
  row('management', `GET ${project}/group-health`, '200 200 200 403 403 404 403 403 403'),
  row('management', `GET ${project}/overview`, '200 200 200 403 403 404 403 403 403'),
  row('management', `GET ${project}/operations/{operationId}/explanation`, '200 200 200 200 403 404 403 200 404'),
  row('management', `POST ${project}/operations/{operationId}:cancel`, '202 202 403 202 403 404 403 202 404', {
    fresh: freshOperation,
  }),
  row('management', `POST ${project}/operations/{operationId}:replay`, '202 202 403 202 403 404 403 202 404', {
    fresh: freshFailure,
  }),
];

/** They do not know the bootstrap key. */
const records: Row[] = [
  row('search', `POST ${integration}`, '200 403 403 403 200 404 401 200 404', {
    query: ({ groupRef }) => ({ groupRef }),
    body: () => ({
      objectName: 'contacts',
      fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'nobody@example.com' }],
    }),
  }),
  row('write-gateway', `POST ${integration}/objects/{objectName}`, '200 403 403 200 403 404 401 200 404', {
    body: ({ groupRef }, { next }) => ({ groupRef, type: 'create', record: email(next()) }),
  }),
];

/** Every endpoint that asks who calls; `tenancy.test.ts` compares the list with what the services say they have. */
export const rows: readonly Row[] = [
  ...projects,
  ...keys,
  ...webhooks,
  ...integrations,
  ...connections,
  ...installations,
  ...configs,
  ...operations,
  ...records,
  ...compatibility,
];
