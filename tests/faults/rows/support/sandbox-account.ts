import { call } from '../../../harness/api';
import type { Account } from '../../../harness/account';
import type { World } from '../../harness/world';

/** Removes the scripted faults of an account. */
export async function clearFaults({ stack }: World, { name }: Account): Promise<void> {
  await call(`${stack.sandboxUrl}/_sandbox/faults?account=${name}`, { method: 'DELETE' });
}

/** Changes settings of an account while it is used: `latencyMs`, `searchLagMs`, … */
export async function changeAccount({ stack }: World, { name, provider }: Account, settings: object): Promise<void> {
  await call(`${stack.sandboxUrl}/_sandbox/accounts`, { body: { name, provider, ...settings } });
}

/** The paths under which records are created, of both providers. */
export const createPaths =
  '^(/crm/v3/objects/\\w+(/batch/create)?|/services/data/[^/]+/(sobjects/\\w+|composite/sobjects))$';
