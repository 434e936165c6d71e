import { demoFileOf } from '../demo/demo-file';
import { demoCustomer } from '../demo/demo-settings';
import { openSandboxAccounts } from '../demo/open-sandbox-accounts';
import { seedDemo } from '../demo/seed-demo';
import type { LocalSecrets } from '../local-secrets';
import { addressesOf } from '../service-ports';
import type { Log } from '../stack/log';
import { waitUntil } from '../stack/wait-until';

export interface SeedWhenReadyOptions {
  readonly folder: string;
  readonly portBase: number;
  readonly secrets: LocalSecrets;
  readonly stop: AbortSignal;
  readonly log: Log;
}

const readyMs = 60_000;

/** Makes the demo project once management and the sandbox answer. A failure is said and does not end the run. */
export async function seedWhenReady({ folder, portBase, secrets, stop, log }: SeedWhenReadyOptions): Promise<void> {
  const addresses = addressesOf(portBase);
  const urls = [addresses.baseUrl.replace(/\/v1$/, '/readyz'), `${addresses.sandboxUrl}/readyz`];
  const areReady = async () => stop.aborted || (await Promise.all(urls.map(answers))).every(Boolean);
  if (!(await waitUntil(areReady, { withinMs: readyMs, everyMs: 100 })) || stop.aborted) return;
  try {
    const customers = (await openSandboxAccounts(addresses.sandboxUrl)).map(demoCustomer);
    const names = { name: 'demo', customers, withSandbox: true };
    const { project } = await seedDemo({ folder, addresses, secrets, ...names });
    log(`demo: project ${project.name}, addresses and key in ${demoFileOf(folder)}`);
  } catch (error) {
    log(`demo: not made: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}
