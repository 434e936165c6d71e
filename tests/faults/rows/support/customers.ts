import { createCustomer, type Customer, type CustomerOptions } from '../../../harness/customer';
import { objectOf } from '../../harness/send-write';
import type { World } from '../../harness/world';

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
