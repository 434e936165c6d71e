import type { OpenApiDocument } from '@sluice/http';
import { call } from '../../harness/api';
import { createCustomer, type Customer } from '../../harness/customer';
import type { Project } from '../../harness/project';
import type { Stack } from '../../harness/stack';
import type { Target, Words } from './endpoints';

const words: Readonly<Record<'hubspot' | 'salesforce', Words>> = {
  hubspot: {
    provider: 'hubspot',
    people: 'contacts',
    email: 'email',
    lastname: 'lastname',
    absentId: '99999999999999',
  },
  salesforce: {
    provider: 'salesforce',
    people: 'Contact',
    email: 'Email',
    lastname: 'LastName',
    absentId: '003ak0000000000AAA',
  },
};

/** The documents as the running services show them. */
async function readApis(stack: Stack): Promise<Target['apis']> {
  const origins = (['management', 'search', 'write-gateway'] as const).map((name) => stack.url(name));
  const read = async (origin: string) => ({
    origin,
    document: await call<OpenApiDocument>(`${origin}/openapi.json`, { method: 'GET' }),
  });
  return await Promise.all(origins.map(read));
}

/** A customer at a provider, and where requests about him go. */
export async function createTarget(
  stack: Stack,
  project: Project,
  provider: 'hubspot' | 'salesforce',
): Promise<{ readonly customer: Customer; readonly target: Target }> {
  const spoken = words[provider];
  const { people, email, lastname } = spoken;
  const customer = await createCustomer(stack, { provider, project, read: [people], write: [people] });
  const record = { [email]: `before-${provider}@example.com`, [lastname]: 'Before' };
  const written = await customer.write(people, { type: 'create', record });
  const { integrationId, installationId, connectionId, groupRef } = customer;
  const target = {
    apis: await readApis(stack),
    projectId: project.id,
    integrationId,
    installationId,
    connectionId,
    operationId: written.body.operationId,
    groupRef,
    words: spoken,
  };
  return { customer, target };
}
