import { tokenIssuer } from '@sluice/testkit';
import type { Connection, Installation, Integration, ProviderApp } from '@sluice/types';
import { call } from '../../harness/api';
import { createCustomer, type Customer } from '../../harness/customer';
import { createProject, credentialsOf, type Project } from '../../harness/project';
import type { Stack } from '../../harness/stack';
import { createCallers, type Credentials } from './callers';

/** Made once: a key takes a tenth of a second. */
const { publicKeyPem } = tokenIssuer();

/** What stands in the paths and bodies of requests, by the name of the parameter. */
export interface Ids {
  readonly projectIdOrName: string;
  readonly integrationId: string;
  readonly integrationName: string;
  readonly installationId: string;
  readonly connectionId: string;
  readonly connectSessionId: string;
  readonly operationId: string;
  readonly configId: string;
  readonly revisionId: string;
  readonly providerAppId: string;
  readonly apiKeyId: string;
  readonly jwtKeyId: string;
  readonly endpointId: string;
  readonly messageId: string;
  readonly objectName: string;
  readonly provider: string;
  readonly groupRef: string;
}

/** Two customers of one builder, and one of another builder. */
export interface World {
  readonly stack: Stack;
  readonly project: Project;
  readonly customer: Customer;
  readonly credentials: Credentials;
  /** Of the customer whom the table is about. */
  readonly ids: Ids;
  /** Of another group of the same project. */
  readonly otherIds: Ids;
  /** Of another project. */
  readonly foreignIds: Ids;
  /** A key that any project may register. */
  readonly publicKeyPem: string;
  /** Differs from call to call: part of names that must not meet. */
  readonly next: () => string;
}

export async function createWorld(stack: Stack): Promise<World> {
  const [project, foreignProject] = [await createProject(stack), await createProject(stack)];
  const customerOf = (of: Project) =>
    createCustomer(stack, { provider: 'hubspot', project: of, read: ['contacts'], write: ['contacts'] });
  const customer = await customerOf(project);
  const other = await customerOf(project);
  const foreign = await customerOf(foreignProject);
  const { groupRef } = customer;
  const names = { project, foreignKey: foreignProject.key, groupRef, otherGroupRef: other.groupRef };
  let made = 0;
  return {
    stack,
    project,
    customer,
    credentials: await createCallers(stack, names),
    ids: await idsOf(customer),
    otherIds: await idsOf(other),
    foreignIds: await idsOf(foreign),
    publicKeyPem,
    next: () => `n${(made += 1)}`,
  };
}

async function idsOf(customer: Customer): Promise<Ids> {
  const { project, integrationId, installationId, connectionId, groupRef } = customer;
  const { key, url } = project;
  const installation = await call<Installation>(
    `${url}/integrations/${integrationId}/installations/${installationId}`,
    {
      method: 'GET',
      key,
    },
  );
  const integration = await call<Integration>(`${url}/integrations/${integrationId}`, { method: 'GET', key });
  const record = { email: `${groupRef}-${integrationId}@example.com` };
  const written = await customer.write('contacts', { type: 'create', record });
  const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret-of-the-app' };
  const registered = { label: 'ids', algorithm: 'RS256', publicKeyPem };
  return {
    projectIdOrName: project.id,
    integrationId,
    integrationName: integration.name,
    installationId,
    connectionId,
    ...(await sessionOf(customer)),
    operationId: written.body.operationId,
    configId: installation.config.id,
    revisionId: integration.latestRevision.id,
    providerAppId: (await call<ProviderApp>(`${url}/provider-apps`, { key, body: app })).id,
    apiKeyId: (await call<{ id: string }>(`${url}/api-keys`, { key, body: { label: 'ids', scopes: ['read'] } })).id,
    jwtKeyId: (await call<{ kid: string }>(`${url}/jwt-keys`, { key, body: registered })).kid,
    ...(await webhookOf(project)),
    objectName: 'contacts',
    provider: 'hubspot',
    groupRef,
  };
}

/** Its receiver is at an address where nothing is sent. */
export const deafWebhook = { url: 'https://localhost:1/', eventTypes: ['write.async.done'] };

async function webhookOf({ url, key }: Project): Promise<Pick<Ids, 'endpointId' | 'messageId'>> {
  const { id: endpointId } = await call<{ id: string }>(`${url}/webhook-endpoints`, { key, body: deafWebhook });
  const { id: messageId } = await call<{ id: string }>(`${url}/webhook-endpoints/${endpointId}:test`, { key });
  return { endpointId, messageId };
}

/** A connection of the customer's group that nothing uses. */
export async function freshConnection({ project, customer }: World): Promise<Partial<Ids>> {
  // Of another consumer: that of the first would be given the credentials in place of a new one.
  const consumer = { consumerRef: `${customer.groupRef}-other`, ...credentialsOf(customer.account) };
  const { id } = await project.connect(customer.account, customer.groupRef, consumer);
  return { connectionId: id satisfies Connection['id'] };
}

/** An integration that the customer's group has installed, to be deleted. */
export async function freshInstallation(world: World): Promise<Partial<Ids>> {
  const { project, customer, next } = world;
  const integration = await freshIntegration(world);
  const body = { groupRef: customer.groupRef, config: { content: { provider: 'hubspot' } } };
  const { id } = (await project.install(integration.integrationId, { ...body, connectionId: customer.connectionId }))
    .body;
  return { ...integration, installationId: id ?? next() };
}

/** An integration that nobody has installed. */
export async function freshIntegration({
  project,
  next,
}: World): Promise<Pick<Ids, 'integrationId' | 'integrationName'>> {
  const integrationName = `fresh-${next()}`;
  const objects = { objects: [{ objectName: 'contacts' }] };
  await project.deploy([{ name: integrationName, provider: 'hubspot', read: objects, write: objects }]);
  const url = `${project.url}/integrations/${integrationName}`;
  const { id } = await call<Integration>(url, { method: 'GET', key: project.key });
  return { integrationId: id, integrationName };
}

/** An operation that waits for its batch to fill. */
export async function freshOperation({ customer, next }: World): Promise<Partial<Ids>> {
  const record = { email: `waiting-${next()}@example.com` };
  const later = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1_440 } };
  return { operationId: (await customer.write('contacts', { type: 'create', record, ...later })).body.operationId };
}

/** An operation whose record the provider refused. */
export async function freshFailure({ customer, next }: World): Promise<Partial<Ids>> {
  const record = { id: `99999${next().slice(1)}`, lastname: 'Nobody' };
  const { body } = await customer.write('contacts', { type: 'update', mode: 'asynchronous', record });
  await customer.ended(body.operationId);
  return { operationId: body.operationId };
}

/** A project of nobody's key. */
export async function freshProject({ stack }: World): Promise<Partial<Ids>> {
  return { projectIdOrName: (await createProject(stack)).id };
}

export async function freshApiKey({ project: { url, key } }: World): Promise<Partial<Ids>> {
  return { apiKeyId: (await call<{ id: string }>(`${url}/api-keys`, { key, body: { label: 'fresh' } })).id };
}

export const freshConnectSession = ({ customer }: World): Promise<Partial<Ids>> => sessionOf(customer);

async function sessionOf({ project, integrationId, groupRef }: Customer): Promise<Pick<Ids, 'connectSessionId'>> {
  const body = { integration: integrationId, groupRef, consumerRef: `${groupRef}-user` };
  return { connectSessionId: (await project.client.management.createConnectSession({ body })).id };
}

export async function freshJwtKey({ project: { url, key } }: World): Promise<Partial<Ids>> {
  const body = { label: 'fresh', algorithm: 'RS256', publicKeyPem };
  return { jwtKeyId: (await call<{ kid: string }>(`${url}/jwt-keys`, { key, body })).kid };
}

export async function freshProviderApp({ project: { url, key } }: World): Promise<Partial<Ids>> {
  const body = { provider: 'hubspot', clientId: 'client', clientSecret: 'secret-of-the-app' };
  return { providerAppId: (await call<ProviderApp>(`${url}/provider-apps`, { key, body })).id };
}

export async function freshWebhook({ project: { url, key } }: World): Promise<Partial<Ids>> {
  const { id } = await call<{ id: string }>(`${url}/webhook-endpoints`, { key, body: deafWebhook });
  return { endpointId: id };
}
