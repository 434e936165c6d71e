import { randomUUID } from 'node:crypto';
import { createSluiceClient, type SluiceClient } from '@sluice/client';
import type {
  Connection,
  CreateInstallationRequest,
  Installation,
  Integration,
  ManifestIntegration,
  Scope,
} from '@sluice/types';
import type { Account } from './account';
import type { Addresses } from './addresses';
import { replyOf, type Reply } from './api';

/** A builder's project with a key that may do everything. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** `{base_url}/projects/{id}` */
  readonly url: string;
  /** Of the project, with its key. */
  readonly client: SluiceClient;
  createKey(scopes: readonly Scope[]): Promise<string>;
  /** Deploys a manifest of these integrations; replies with what came back. */
  deploy(integrations: readonly object[], more?: object): Promise<Reply<Integration[]>>;
  /** Makes a connection to the account, for a group. `more` stands in place of the account's key. */
  connect(account: Account, groupRef: string, more?: object): Promise<Connection>;
  install(integrationId: string, body: object): Promise<Reply<Installation>>;
}

/** Suites that share a stack make names that do not meet. */
const suite = randomUUID().slice(0, 8);
let made = 0;

/** @param projectName @default one that no other has */
export async function createProject(stack: Addresses, projectName?: string): Promise<Project> {
  const { baseUrl, searchUrl, writeUrl } = stack;
  const options = { baseUrl, searchUrl, writeUrl, ...(stack.fetch && { fetch: stack.fetch }) };
  const clientOf = (apiKey: string, projectIdOrName?: string) =>
    createSluiceClient({ ...options, apiKey, ...(projectIdOrName && { projectIdOrName }) });
  const order = { name: projectName ?? `p-${suite}-${(made += 1)}`, appName: 'black box', orgId: 'tests' };
  const { id, name } = await clientOf(stack.adminKey).management.createProject({ body: order });
  const createKey = async (scopes: readonly Scope[]): Promise<string> => {
    const body = { label: 'tests', scopes };
    return (await clientOf(stack.adminKey, id).management.createApiKey({ body })).key;
  };
  const key = await createKey(['full']);
  const client = clientOf(key, id);
  const { management } = client.raw;
  return {
    id,
    name,
    key,
    url: `${baseUrl}/projects/${id}`,
    client,
    createKey,
    // JSON is YAML.
    deploy: async (integrations, more = {}) => {
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations, ...more });
      return replyOf(await management.deployManifest({ body: { sourceYaml } }));
    },
    connect: (account, groupRef, more) => {
      const { provider } = account;
      const body = { groupRef, consumerRef: `${groupRef}-user`, provider, ...(more ?? credentialsOf(account)) };
      return client.management.generateConnection({ body });
    },
    // What a test sends may be no valid request: the service says so.
    install: async (integrationId, body) =>
      replyOf(await management.createInstallation({ integrationId, body: body as CreateInstallationRequest })),
  };
}

/** What a builder passes on who made the connection himself. For Salesforce it names the instance. */
export function credentialsOf({ provider, token, workspaceRef }: Account): object {
  const oauth2AuthorizationCode = { accessToken: { token } };
  return { oauth2AuthorizationCode, ...(provider === 'salesforce' ? { providerWorkspaceRef: workspaceRef } : {}) };
}

/** The one of its name, as the deployment answered. */
export function integrationNamed(
  reply: Reply<Integration[]>,
  { name }: Pick<ManifestIntegration, 'name'>,
): Integration {
  const found = reply.body.find?.((integration) => integration.name === name);
  if (found !== undefined) return found;
  throw new Error(`${name} was not deployed: ${reply.status} ${JSON.stringify(reply.body)}`);
}
