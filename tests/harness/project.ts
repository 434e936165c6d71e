import type { Connection, Installation, Integration, ManifestIntegration, Scope } from '@sluice/types';
import type { Account } from './account';
import { ask, call, type Reply } from './api';
import type { Stack } from './stack';

/** A builder's project with a key that may do everything. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  /** `{base_url}/projects/{id}` */
  readonly url: string;
  createKey(scopes: readonly Scope[]): Promise<string>;
  /** Deploys a manifest of these integrations; replies with what came back. */
  deploy(integrations: readonly object[], more?: object): Promise<Reply<Integration[]>>;
  /** Makes a connection to the account, for a group. `more` stands in place of the account's key. */
  connect(account: Account, groupRef: string, more?: object): Promise<Connection>;
  install(integrationId: string, body: object): Promise<Reply<Installation>>;
}

type Created = Pick<Project, 'id' | 'name'>;

let made = 0;

export async function createProject(stack: Stack): Promise<Project> {
  const order = { name: `p-${stack.portBase}-${(made += 1)}`, appName: 'black box', orgId: 'tests' };
  const project = await call<Created>(`${stack.baseUrl}/projects`, { key: stack.adminKey, body: order });
  const url = `${stack.baseUrl}/projects/${project.id}`;
  const createKey = async (scopes: readonly Scope[]): Promise<string> => {
    const labelled = { key: stack.adminKey, body: { label: 'tests', scopes } };
    return (await call<{ key: string }>(`${url}/api-keys`, labelled)).key;
  };
  const key = await createKey(['full']);
  return {
    id: project.id,
    name: project.name,
    key,
    url,
    createKey,
    // JSON is YAML.
    deploy: (integrations, more = {}) => {
      const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations, ...more });
      return ask(`${url}/integrations:batch`, { method: 'PUT', key, body: { sourceYaml } });
    },
    connect: (account, groupRef, more) => {
      const { provider } = account;
      const body = { groupRef, consumerRef: `${groupRef}-user`, provider, ...(more ?? credentialsOf(account)) };
      return call(`${url}/connections:generate`, { key, body });
    },
    install: (integrationId, body) => ask(`${url}/integrations/${integrationId}/installations`, { key, body }),
  };
}

/** What a builder passes on who made the connection himself. Salesforce needs to be told whose instance it is. */
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
