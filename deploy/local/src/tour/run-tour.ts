import { createManagementClient } from '../clients/management-client';
import { createSandboxClient, type SandboxAccount } from '../clients/sandbox-client';
import { createSluiceClient } from '../clients/sluice-client';
import type { Demo } from '../demo/demo-file';
import { sampleFile } from '../demo/demo-settings';
import type { Addresses } from '../service-ports';
import { createStepper, type Stepper } from './stepper';
import type { Print } from './print-step';
import { readSampleContacts } from './sample-contacts';
import { connectACustomer } from './steps/connect-a-customer';
import { createADuplicate } from './steps/create-a-duplicate';
import { createAsynchronously } from './steps/create-asynchronously';
import { createOddBatch } from './steps/create-odd-batch';
import { createSynchronously } from './steps/create-synchronously';
import { drainAutoBatches } from './steps/drain-auto-batches';
import { measureOverhead } from './steps/measure-overhead';
import { searchByEmail } from './steps/search-by-email';
import { sendAutoBatched } from './steps/send-auto-batched';
import { updateAContact } from './steps/update-a-contact';
import type { Tour } from './tour';

export interface TourOptions {
  readonly demo: Demo;
  readonly addresses: Addresses;
  readonly account: SandboxAccount;
  readonly signal: AbortSignal;
  readonly print: Print;
}

/**
 * Walks through what Sluice does, over HTTP as a customer's backend would, and compares each step with the sandbox.
 * @returns whether every step saw what it should; the first that did not ends the tour
 * @throws what `signal` was aborted with
 */
export async function runTour(options: TourOptions): Promise<boolean> {
  const { print, signal } = options;
  const tour = openTour(options);
  const stepper = createStepper(print);
  const begunAtMs = performance.now();
  print(`The tour (run ${tour.run}): ${tour.contacts.length} contacts of ${sampleFile}`);
  try {
    await walk(tour, stepper, print);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    stepper.fail(error);
    print(`The tour FAILED at step ${stepper.count()}.`);
    return false;
  }
  const seconds = ((performance.now() - begunAtMs) / 1000).toFixed(1);
  print(`The tour: ${stepper.count()} steps, all as they should be, in ${seconds} s`);
  return true;
}

/** The batches are sent first, and the other steps run while the last one waits for its minute. */
async function walk(tour: Tour, { step }: Stepper, print: Print): Promise<void> {
  const groupRef = await step('connect a customer', () => connectACustomer(tour));
  const batched = await step('250 auto-batched creates', () => sendAutoBatched(tour, groupRef));
  const created = await step('synchronous create', () => createSynchronously(tour, groupRef));
  await step('asynchronous create', () => createAsynchronously(tour, groupRef));
  const updated = await step('update', () => updateAContact(tour, groupRef, created));
  await step('search', () => searchByEmail(tour, groupRef, updated));
  await step('duplicate', () => createADuplicate(tour, groupRef));
  await step('batch of odd values', () => createOddBatch(tour, groupRef));
  await step('overhead', () => measureOverhead(tour, groupRef));
  await step('250 auto-batched: result', () => drainAutoBatches(tour, batched, print));
}

function openTour({ demo, addresses, account, signal }: TourOptions): Tour {
  const { baseUrl, searchUrl, writeUrl, apiKey, project, integrations } = demo;
  const [integration] = integrations;
  if (integration === undefined) throw new Error('the demo has no integration');
  const run = Date.now().toString(36);
  const { id, name, provider } = integration;
  const application = { searchUrl, writeUrl, apiKey, projectName: project.name, integrationId: id, signal };
  return {
    sluice: createSluiceClient(application),
    management: createManagementClient(baseUrl, apiKey, signal),
    sandbox: createSandboxClient(addresses.sandboxUrl, account, signal),
    projectId: project.id,
    integration: { id, name, provider },
    token: account.token,
    contacts: readSampleContacts(sampleFile, run),
    run,
    begunAt: new Date(),
    signal,
  };
}
