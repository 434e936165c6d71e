import { createSluiceClient } from '@sluice/client';
import { createSandboxClient, type SandboxAccount, type SandboxClient } from '../clients/sandbox-client';
import { ofIntegration } from '../clients/sluice-client';
import type { Demo } from '../demo/demo-file';
import { sampleFile } from '../demo/demo-settings';
import type { Addresses } from '../service-ports';
import type { Crm } from './crm/crm';
import { createHubspotCrm } from './crm/hubspot-crm';
import { createSalesforceCrm } from './crm/salesforce-crm';
import type { Customer } from './customer';
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
import { associate } from './steps/rules/associate';
import { deleteAllowed, deleteRefused } from './steps/rules/delete-a-person';
import { fillADefault } from './steps/rules/fill-a-default';
import { keepAValue } from './steps/rules/keep-a-value';
import { searchByMappedName } from './steps/rules/search-by-mapped-name';
import { writeTwoBad } from './steps/rules/write-two-bad';
import { updateAContact } from './steps/update-a-contact';
import type { Tour } from './tour';

export interface TourOptions {
  readonly demo: Demo;
  readonly addresses: Addresses;
  /** The sandbox accounts behind the demo's integrations. */
  readonly accounts: readonly SandboxAccount[];
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
async function walk(tour: Tour, stepper: Stepper, print: Print): Promise<void> {
  const { step } = stepper;
  const customer = await step('connect a customer', () => connectACustomer(tour, tour.hubspot));
  const { groupRef } = customer;
  const batched = await step('250 auto-batched creates', () => sendAutoBatched(tour, groupRef));
  const created = await step('synchronous create', () => createSynchronously(tour, groupRef));
  await step('asynchronous create', () => createAsynchronously(tour, groupRef));
  const updated = await step('update', () => updateAContact(tour, groupRef, created));
  await step('search', () => searchByEmail(tour, groupRef, updated));
  await step('duplicate', () => createADuplicate(tour, groupRef));
  await step('batch of odd values', () => createOddBatch(tour, groupRef));
  await step('association', () => associate(tour, customer));
  await walkRules(tour, stepper, customer, '');
  const other = await step('Salesforce: connect', () => connectACustomer(tour, tour.salesforce));
  await step('Salesforce: batch', () => writeTwoBad(tour, other));
  await walkRules(tour, stepper, other, 'Salesforce: ');
  await step('overhead', () => measureOverhead(tour, groupRef));
  await step('250 auto-batched: result', () => drainAutoBatches(tour, batched, print));
}

/** What a customer's config decides, with one person from the first write to the last. */
async function walkRules(tour: Tour, { step }: Stepper, customer: Customer, prefix: string): Promise<void> {
  const created = await step(`${prefix}default filled`, () => fillADefault(tour, customer));
  const kept = await step(`${prefix}value kept`, () => keepAValue(tour, customer, created));
  await step(`${prefix}mapped name`, () => searchByMappedName(tour, customer, kept));
  await step(`${prefix}delete refused`, () => deleteRefused(tour, customer, kept));
  await step(`${prefix}delete allowed`, () => deleteAllowed(tour, customer, kept));
}

function openTour({ demo, addresses, accounts, signal }: TourOptions): Tour {
  const { baseUrl, searchUrl, writeUrl, apiKey, project, integrations } = demo;
  const run = Date.now().toString(36);
  const client = createSluiceClient({ baseUrl, searchUrl, writeUrl, apiKey, projectIdOrName: project.name, signal });
  const openPlace = (provider: string, createCrm: (sandbox: SandboxClient) => Crm) => {
    const integration = integrations.find((one) => one.provider === provider);
    const account = accounts.find((one) => one.provider === provider);
    if (integration === undefined || account === undefined) throw new Error(`the demo has no ${provider}`);
    const { id, name } = integration;
    const sandbox = createSandboxClient(addresses.sandboxUrl, account, signal);
    const { token, workspaceRef } = account;
    return {
      integration: { id, name, provider },
      sluice: ofIntegration(client, id),
      sandbox,
      crm: createCrm(sandbox),
      access: { provider, token, workspaceRef },
    };
  };
  const hubspot = openPlace('hubspot', createHubspotCrm);
  return {
    sluice: hubspot.sluice,
    client,
    sandbox: hubspot.sandbox,
    projectId: project.id,
    hubspot,
    salesforce: openPlace('salesforce', createSalesforceCrm),
    contacts: readSampleContacts(sampleFile, run),
    run,
    begunAt: new Date(),
    signal,
  };
}
