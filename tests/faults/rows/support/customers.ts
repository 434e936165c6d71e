import { call } from '../../../harness/api';
import type { Account } from '../../../harness/account';
import { createCustomer, type Customer, type CustomerOptions } from '../../../harness/customer';
import { objectOf } from '../../harness/send-write';
import type { World } from '../../harness/world';

/** The paths under which records are created, of both providers. */
export const createPaths =
  '^(/crm/v3/objects/\\w+(/batch/create)?|/services/data/[^/]+/(sobjects/\\w+|composite/sobjects))$';

/** Calls of a day without end: a full run makes more than an account may. */
const endless = { perDay: 0, perTenSeconds: 100_000, searchesPerSecond: 0 };
const made = new WeakMap<World, Customer[]>();

/** Customers of the world's project with an account each, half of either provider. Rows that share a world share them. */
export async function accountsOf(world: World, count: number): Promise<readonly Customer[]> {
  const customers = made.get(world) ?? [];
  made.set(world, customers);
  while (customers.length < count) customers.push(await newCustomer(world, customers.length % 2 === 0));
  return customers.slice(0, count);
}

/** One more, that nobody else writes to. */
export async function newCustomer(
  { stack, customers }: World,
  isHubspot: boolean,
  more: Partial<CustomerOptions> = {},
): Promise<Customer> {
  const provider = isHubspot ? 'hubspot' : 'salesforce';
  const objects = [objectOf(provider)];
  return await createCustomer(stack, {
    provider,
    project: customers[0].project,
    read: objects,
    write: objects,
    ...more,
    accountOptions: { latencyMs: 15, limits: endless, ...more.accountOptions },
  });
}

/** Largest batch of HubSpot. */
const inputsMax = 100;
let contacts = 0;

/** Contacts that the customer created before anything is tested. @returns their ids */
export async function createContacts({ stack }: World, { token }: Account, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const inputs = Array.from({ length: Math.min(inputsMax, count - ids.length) }, () => ({
      properties: { email: `seeded-${(contacts += 1)}@example.com`, lastname: `seeded-${contacts}` },
      objectWriteTraceId: String(contacts),
    }));
    const { results } = await call<{ results: { id: string }[] }>(
      `${stack.sandboxUrl}/crm/v3/objects/contacts/batch/create`,
      { headers: { authorization: `Bearer ${token}` }, body: { inputs } },
    );
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}
