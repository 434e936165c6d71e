import { setTimeout as sleep } from 'node:timers/promises';
import { createCustomer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';

let stack: EmbeddedStack;
beforeAll(async () => {
  stack = await startEmbeddedStack();
});
afterAll(() => stack.stop());

/** Twice what HubSpot takes in a second of an account, for three seconds. */
const count = 30;
const everyMs = 100;

// HubSpot's limit of 5 searches in a second is one of search alone. A customer who types in a search box must not stop the writes.
it('searches beyond the limit of search take no synchronous write of the same account with them', async () => {
  const customer = await createCustomer(stack, {
    provider: 'hubspot',
    read: ['contacts'],
    write: ['contacts'],
    accountOptions: { limits: { perTenSeconds: 110, searchesPerSecond: 5 } },
  });
  const searches: Promise<number>[] = [];
  const writes: Promise<number>[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    searches.push(customer.search('contacts', { lastname: 'Nobody' }).then(({ status }) => status));
    const record = { lastname: `Typed-${sent}` };
    writes.push(customer.write('contacts', { type: 'create', record }).then(({ status }) => status));
    // The pace of the load, not a wait for anything.
    await sleep(everyMs);
  }
  expect(new Set(await Promise.all(writes))).toEqual(new Set([200]));
  const statuses = await Promise.all(searches);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
  // Paced before they are refused: what three seconds allow is answered.
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(10);
});
