import { demoCustomer } from '../demo/demo-settings';
import { openSandboxAccounts } from '../demo/open-sandbox-accounts';
import { seedDemo } from '../demo/seed-demo';
import type { Addresses } from '../service-ports';
import type { Print } from './print-step';
import { runTour } from './run-tour';

export interface RunningServices {
  readonly addresses: Addresses;
  readonly adminKey: string;
  /** Where demo.json is written. */
  readonly folder: string;
  readonly print: Print;
}

/**
 * The demo and its tour on services that were started elsewhere, in containers for example, with the sandbox as their provider.
 * @returns whether every step saw what it should
 */
export async function tourOfRunning({ addresses, adminKey, folder, print }: RunningServices): Promise<boolean> {
  const accounts = await openSandboxAccounts(addresses.sandboxUrl);
  // The key ring is theirs; here it only tells one database's demo from another's.
  const secrets = { adminKey, credentialsKeys: adminKey };
  const customers = accounts.map(demoCustomer);
  const demo = await seedDemo({ folder, addresses, secrets, name: 'demo', customers, withSandbox: true });
  return await runTour({ demo, addresses, accounts, signal: new AbortController().signal, print });
}
