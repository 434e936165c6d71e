import { createSluiceClient } from '@sluice/client';
import type { ConfigContent } from '@sluice/types';
import { groupMark } from './generate-load';

/** A project whose customers have installed one integration for HubSpot contacts. Customer `n` has the account `bench-n` and the group `g-00000n`. */
export interface BenchProject {
  readonly id: string;
  readonly key: string;
  readonly integrationId: string;
  readonly customers: number;
}

const objects = { objects: [{ objectName: 'contacts' }] };
const config: ConfigContent = { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } };
/** Customers that are made at once. */
const together = 8;

export const accountOf = (customer: number): string => `bench-${customer}`;
export const groupOf = (customer: number): string => `g-${String(customer).padStart(groupMark.length, '0')}`;

/** Makes the project and its customers over the management API, as a builder does. @param managementUrl with `/v1` */
export async function createProject(managementUrl: string, adminKey: string, customers: number): Promise<BenchProject> {
  const client = (apiKey: string, projectIdOrName?: string) =>
    createSluiceClient({
      baseUrl: managementUrl,
      searchUrl: managementUrl,
      writeUrl: managementUrl,
      apiKey,
      ...(projectIdOrName !== undefined && { projectIdOrName }),
    }).management;
  const { id } = await client(adminKey).createProject({ body: { name: 'bench', appName: 'bench', orgId: 'bench' } });
  const { key } = await client(adminKey, id).createApiKey({ body: { label: 'bench', scopes: ['full'] } });
  const management = client(key, id);
  const integration = { name: 'crm', provider: 'hubspot', read: objects, write: objects };
  const sourceYaml = JSON.stringify({ specVersion: '1.0.0', integrations: [integration] });
  const [deployed] = await management.deployManifest({ body: { sourceYaml } });
  const integrationId = deployed?.id ?? '';
  const createCustomer = async (customer: number): Promise<void> => {
    const groupRef = groupOf(customer);
    const credentials = { oauth2AuthorizationCode: { accessToken: { token: accountOf(customer) } } };
    const owner = { groupRef, consumerRef: `${groupRef}-user`, provider: 'hubspot' };
    const connection = await management.generateConnection({ body: { ...owner, ...credentials } });
    const body = { groupRef, connectionId: connection.id, config: { content: config } };
    await management.createInstallation({ integrationId, body });
  };
  for (let first = 0; first < customers; first += together) {
    const count = Math.min(together, customers - first);
    await Promise.all(Array.from({ length: count }, (_, index) => createCustomer(first + index)));
  }
  return { id, key, integrationId, customers };
}
