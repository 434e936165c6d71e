import { call } from '../../../harness/api';
import type { Account } from '../../../harness/account';
import type { World } from '../../harness/world';

/** Largest batch of HubSpot. */
const inputsMax = 100;
let made = 0;

/** Contacts that the customer made himself, before anything is tested. @returns their ids */
export async function createContacts({ stack }: World, { token }: Account, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const inputs = Array.from({ length: Math.min(inputsMax, count - ids.length) }, () => ({
      properties: { email: `seeded-${(made += 1)}@example.com`, lastname: `seeded-${made}` },
      objectWriteTraceId: String(made),
    }));
    const { results } = await call<{ results: { id: string }[] }>(
      `${stack.sandboxUrl}/crm/v3/objects/contacts/batch/create`,
      { headers: { authorization: `Bearer ${token}` }, body: { inputs } },
    );
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}
