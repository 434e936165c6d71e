import { createSluiceClient, SluiceApiError } from '@sluice/client';
import { SluiceError } from '@sluice/errors';
import { type Demo, demoCustomer, sampleFile } from '../demo/demo';
import { seedDemo } from '../demo/seed-demo';
import { createSandboxClient, openSandboxAccounts, type SandboxAccount, type SandboxClient } from '../sandbox-client';
import type { Addresses } from '../service-ports';
import { createHubspotCrm, createSalesforceCrm, type Crm } from './crm';
import { StepFailure } from './expect';
import { readSampleContacts } from './sample-contacts';
import { drainAutoBatches, sendAutoBatched } from './steps/auto-batches';
import {
  createADuplicate,
  createAsynchronously,
  createOddBatch,
  createSynchronously,
  measureOverhead,
  searchByEmail,
  updateAContact,
} from './steps/contacts';
import {
  associate,
  connectACustomer,
  deleteAllowed,
  deleteRefused,
  fillADefault,
  keepAValue,
  searchByMappedName,
  writeTwoBad,
} from './steps/rules';
import type { Customer, TourProvider, Print, StepLine, Tour } from './tour';

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
  const begunAtMs = performance.now();
  let number = 0;
  let current = '';
  const step: Step = async (title, work) => {
    number += 1;
    current = title;
    const outcome = await work();
    print(stepLine(number, title, outcome));
    return outcome;
  };
  print(`The tour (run ${tour.run}): ${tour.contacts.length} contacts of ${sampleFile}`);
  try {
    await walk(tour, step);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    print(`${head(number, current)}  FAILED      ${sentenceOf(error)}`);
    print(`The tour FAILED at step ${number}.`);
    return false;
  }
  const seconds = ((performance.now() - begunAtMs) / 1000).toFixed(1);
  print(`The tour: ${number} steps, all as they should be, in ${seconds} s`);
  return true;
}

/** Runs a step and prints its line. */
type Step = <Outcome extends StepLine>(title: string, work: () => Promise<Outcome>) => Promise<Outcome>;

/** The batches are sent first, and the other steps run while the last one waits for its minute. */
async function walk(tour: Tour, step: Step): Promise<void> {
  const { value: customer } = await step('connect a customer', () => connectACustomer(tour, tour.hubspot));
  const { value: batched } = await step('250 auto-batched creates', () => sendAutoBatched(tour, customer));
  const { value: created } = await step('synchronous create', () => createSynchronously(tour, customer));
  await step('asynchronous create', () => createAsynchronously(tour, customer));
  const { value: updated } = await step('update', () => updateAContact(tour, customer, created));
  await step('search', () => searchByEmail(tour, customer, updated));
  await step('duplicate', () => createADuplicate(tour, customer));
  await step('batch of odd values', () => createOddBatch(tour, customer));
  await step('association', () => associate(tour, customer));
  await walkRules(tour, step, customer, '');
  const { value: other } = await step('Salesforce: connect', () => connectACustomer(tour, tour.salesforce));
  await step('Salesforce: batch', () => writeTwoBad(tour, other));
  await walkRules(tour, step, other, 'Salesforce: ');
  await step('overhead', () => measureOverhead(tour, customer));
  await step('250 auto-batched: result', () => drainAutoBatches(tour, batched));
}

/** What a customer's config decides, with one person from the first write to the last. */
async function walkRules(tour: Tour, step: Step, customer: Customer, prefix: string): Promise<void> {
  const { value: created } = await step(`${prefix}default filled`, () => fillADefault(tour, customer));
  const { value: kept } = await step(`${prefix}value kept`, () => keepAValue(customer, created));
  await step(`${prefix}mapped name`, () => searchByMappedName(customer, kept));
  await step(`${prefix}delete refused`, () => deleteRefused(customer, kept));
  await step(`${prefix}delete allowed`, () => deleteAllowed(tour, customer, kept));
}

function openTour({ demo, addresses, accounts, signal, print }: TourOptions): Tour {
  const { baseUrl, searchUrl, writeUrl, apiKey, project, integrations } = demo;
  const run = Date.now().toString(36);
  const client = createSluiceClient({ baseUrl, searchUrl, writeUrl, apiKey, projectIdOrName: project.name, signal });
  const openProvider = (provider: string, createCrm: (sandbox: SandboxClient) => Crm): TourProvider => {
    const integration = integrations.find((one) => one.provider === provider);
    const account = accounts.find((one) => one.provider === provider);
    if (integration === undefined || account === undefined) throw new Error(`the demo has no ${provider}`);
    const sandbox = createSandboxClient(addresses.sandboxUrl, account, signal);
    return { integration, sandbox, crm: createCrm(sandbox), access: account };
  };
  return {
    client,
    hubspot: openProvider('hubspot', createHubspotCrm),
    salesforce: openProvider('salesforce', createSalesforceCrm),
    contacts: readSampleContacts(sampleFile, run),
    run,
    begunAt: new Date(),
    signal,
    print,
  };
}

/** One line: number, name, duration, what was sent, what came back, what the CRM has. */
function stepLine(number: number, title: string, { sent, got, crm, tookMs }: StepLine): string {
  return `${head(number, title)}  ok ${duration(tookMs).padStart(8)}  ${sent} -> ${got}; ${crm}`;
}

function head(number: number, title: string): string {
  return `${String(number).padStart(2)}  ${title.padEnd(26)}`;
}

/** `7 ms`, `0.4 ms`, `61.3 s`: up to ten seconds in milliseconds. */
function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
}

function sentenceOf(error: unknown): string {
  if (error instanceof StepFailure || error instanceof SluiceApiError) return error.message;
  if (error instanceof SluiceError) return error.detail;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

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
  // The key ring is theirs; here it only distinguishes the demos of two databases.
  const secrets = { adminKey, credentialsKeys: adminKey };
  const customers = accounts.map(demoCustomer);
  const demo = await seedDemo({ folder, addresses, secrets, name: 'demo', customers, withSandbox: true });
  return await runTour({ demo, addresses, accounts, signal: new AbortController().signal, print });
}
