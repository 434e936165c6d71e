import { readFileSync } from 'node:fs';
import { createSluiceClient, type Reply, type SluiceClient } from '@sluice/client';
import type { AcceptedWriteReply, BatchWriteReply, SingleWriteReply, WriteRequest } from '@sluice/types';
import { crmWords, type Demo, sampleFile } from './demo/demo';
import { connectCustomer, demoConfig, seedSandboxDemo } from './demo/seed-demo';
import { createSandboxClient, describeBody, type SandboxAccount, type SandboxClient } from './sandbox-client';
import type { Addresses } from './service-ports';

/** Takes lines for the person who watches. */
type Print = (line: string) => void;

interface TourOptions {
  readonly demo: Demo;
  readonly sandboxUrl: string;
  /** The sandbox accounts behind the demo's integrations. */
  readonly accounts: readonly SandboxAccount[];
  readonly signal: AbortSignal;
  readonly print: Print;
}

/** What every step works with, and what earlier steps made. */
interface Tour {
  readonly client: SluiceClient;
  readonly integration: Demo['integrations'][number];
  readonly account: SandboxAccount;
  /** The customer's CRM: what the tour reports of it never comes from Sluice. */
  readonly sandbox: SandboxClient;
  /** The sample file, with emails that no earlier run has used: HubSpot's are unique. */
  readonly contacts: readonly Contact[];
  /** A customer of this run, so that nothing that waits in the demo's installation joins the batches counted here. */
  readonly groupRef: string;
  readonly begunAt: Date;
  operationIds: readonly string[];
  personId: string;
}

/** HubSpot property to value. A missing value is a missing key. */
type Contact = Readonly<Record<string, string>>;

/** A contact as HubSpot shows it: every value a string, null for what is not set. */
interface CrmContact {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

/** @returns what was sent, what came back, and what the CRM has */
type Step = (tour: Tour) => Promise<string>;

/** The 250 contacts are sent first: the other steps run while the last batch waits for its minute. */
const steps: readonly (readonly [name: string, step: Step])[] = [
  ['connect a customer', connect],
  ['250 auto-batched creates', sendAutoBatched],
  ['partial failure', createOddBatch],
  ['mapping and default', createMapped],
  ['ifEmpty', keepAValue],
  ['search', searchByMappedName],
  ['delete refused', deleteRefused],
  ['overhead', measureOverhead],
  ['250 auto-batched: result', compareAutoBatched],
];

/** @param sentence what was expected and what came instead: the tour ends with it */
function expectThat(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence);
}

/**
 * Shows in two minutes what Sluice does, over HTTP as a builder's backend would, and compares each step with the sandbox.
 * @returns whether every step had the result that it should; the first that had another ends the tour
 * @throws what `signal` was aborted with
 */
export async function runTour(options: TourOptions): Promise<boolean> {
  const { print, signal } = options;
  const tour = openTour(options);
  print(`The tour: contacts of ${sampleFile} for the customer ${tour.groupRef}`);
  for (const [index, [name, step]] of steps.entries()) {
    const head = `${String(index + 1).padStart(2)}  ${name.padEnd(24)}  `;
    if (step === compareAutoBatched) print('    The last batch leaves a minute after its first record.');
    const begunAtMs = performance.now();
    try {
      const line = await step(tour);
      print(`${head}ok ${duration(performance.now() - begunAtMs).padStart(8)}  ${line}`);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      print(`${head}FAILED       ${error instanceof Error ? error.message : String(error)}`);
      print(`The tour FAILED at step ${index + 1}.`);
      return false;
    }
  }
  print(`The tour: ${steps.length} steps, all as they should be, in ${duration(Date.now() - tour.begunAt.getTime())}`);
  return true;
}

const groupPrefix = 'tour-';

/** Whether the customer of an earlier tour exists with its 320 records, so that a start need not add them again. */
export async function wasShown({ baseUrl, apiKey, project, integrations }: Demo): Promise<boolean> {
  const { management } = createSluiceClient({ baseUrl, apiKey, projectIdOrName: project.id });
  const installed = await management.listInstallations({ integrationId: integrations[0]?.id ?? '' });
  return installed.some(({ group }) => group?.groupRef.startsWith(groupPrefix));
}

function openTour({ demo, sandboxUrl, accounts, signal }: TourOptions): Tour {
  const { baseUrl, searchUrl, writeUrl, apiKey, project } = demo;
  const integration = demo.integrations.find(({ provider }) => provider === 'hubspot');
  const account = accounts.find(({ provider }) => provider === 'hubspot');
  if (integration === undefined || account === undefined) throw new Error('the demo has no hubspot');
  const run = Date.now().toString(36);
  const contacts = JSON.parse(readFileSync(sampleFile, 'utf8')) as Contact[];
  return {
    client: createSluiceClient({ baseUrl, searchUrl, writeUrl, apiKey, projectIdOrName: project.id, signal }),
    integration,
    account,
    sandbox: createSandboxClient(sandboxUrl, account, signal),
    contacts: contacts.map((contact) => withMark(contact, run)),
    groupRef: `${groupPrefix}${run}`,
    begunAt: new Date(),
    operationIds: [],
    personId: '',
  };
}

/** `ana@example.com` becomes `ana+mark@example.com`. Any other text stays as it is. */
function withMark(contact: Contact, mark: string): Contact {
  return contact.email === undefined ? contact : { ...contact, email: contact.email.replace('@', `+${mark}@`) };
}

async function connect({ client, integration, account, groupRef, sandbox, begunAt }: Tour): Promise<string> {
  const content = demoConfig('hubspot');
  await connectCustomer(client, integration, { ...account, groupRef, consumerRef: groupRef, content });
  const calls = (await sandbox.ledgerSince(begunAt)).filter(({ action }) => action === 'account-details');
  expectThat(calls.length === 1, `HubSpot should be asked once whose token it is, not ${calls.length} times.`);
  return `group ${groupRef} with an access token -> connected and installed; the CRM was asked once whose token it is`;
}

/** Requests at the same time: as many as a small backend would have open. */
const waveSize = 25;
const batchSizes = '100, 100, 50';
/** Positions in the sample file. Source: samples/README.md. */
const autoBatchedOf = ({ contacts }: Tour) => contacts.slice(0, 250);

/** 250 single writes with `maxDelayMinutes: 1`, which Sluice collects into batches. */
async function sendAutoBatched(tour: Tour): Promise<string> {
  const contacts = autoBatchedOf(tour);
  const counts = new Map<string, number>();
  const begunAtMs = performance.now();
  for (let at = 0; at < contacts.length; at += waveSize) {
    const wave = contacts.slice(at, at + waveSize).map((record) => {
      const policy = { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } } as const;
      return write<AcceptedWriteReply>(tour, { type: 'create', ...policy, record });
    });
    for (const { body } of await Promise.all(wave))
      counts.set(body.operationId, (counts.get(body.operationId) ?? 0) + 1);
  }
  const eachMs = (performance.now() - begunAtMs) / contacts.length;
  const sizes = inOrder([...counts.values()]);
  expectThat(sizes === batchSizes, `250 writes should belong to operations of ${batchSizes}, not ${sizes}.`);
  tour.operationIds = [...counts.keys()];
  return `250 contacts one by one, ${waveSize} at a time, maxDelayMinutes 1 -> all accepted, ${eachMs.toFixed(1)} ms each, into 3 operations of ${sizes}`;
}

/** Without email, very long names, spaces, accents in two forms, emoji and line breaks, an email alone. Source: samples/README.md. */
const odd = [250, 253, 264, 265, 272, 273, 274, 275, 276];
/** An email that is none; a lifecycle stage that HubSpot lacks. */
const refused = [298, 299];

/** Odd values in one synchronous batch, and two records that HubSpot refuses: the others are written. */
async function createOddBatch(tour: Tour): Promise<string> {
  const contacts = [...odd, ...refused].map((index) => tour.contacts[index] ?? {});
  const batch = contacts.map((record) => ({ record }));
  const { results } = (await write<BatchWriteReply>(tour, { type: 'create', batch })).body;
  const outcome = results.map(({ success }) => (success ? 'written' : 'refused')).join();
  const wanted = contacts.map((_, at) => (at < odd.length ? 'written' : 'refused')).join();
  expectThat(outcome === wanted, `The batch should end as ${wanted}, and ended as ${outcome}.`);
  const ids = results.flatMap(({ recordId }) => recordId ?? []);
  const found = new Map((await readContacts(tour, ids)).map((contact) => [contact.id, contact]));
  for (const [at, id] of ids.entries()) expectSame(contacts[at] ?? {}, found.get(id));
  const reasons = results.flatMap(
    ({ errors }) => /"message":"([^"]{0,40})/.exec(errors?.[0]?.message ?? '')?.[1] ?? [],
  );
  return `${contacts.length} contacts: without email, long names, emoji, line breaks, and 2 wrong ones -> 200, 2 refused (${reasons.join(' / ')}); the CRM has the ${ids.length} others, every value equal to the last space`;
}

const { people: objectName, title, defaulted } = crmWords.hubspot;
const positionOf = ({ groupRef }: Tour): string => `Leiterin Süd/Öst „${groupRef}“`;

/** The builder's `position` goes to the customer's field, and a field that is left out gets the customer's default. */
async function createMapped(tour: Tour): Promise<string> {
  const position = positionOf(tour);
  const record = { email: `rule+${tour.groupRef}@example.com`, lastname: 'Rūle', position };
  const { body } = await write<SingleWriteReply>(tour, { type: 'create', record });
  tour.personId = body.result.recordId ?? '';
  await expectInCrm(tour, { lastname: 'Rūle', [title]: position, [defaulted.field]: defaulted.value });
  return `lastname and position, without ${defaulted.field} -> record ${tour.personId}; position went to ${title}, ${defaulted.field} is ${defaulted.value} by default`;
}

/** `writeOnUpdate: ifEmpty`: the customer has typed a phone number in the CRM, and an update leaves it alone. */
async function keepAValue(tour: Tour): Promise<string> {
  const { personId: id, sandbox } = tour;
  const phone = '+49 30 1234567';
  await sandbox.request('PATCH', `/crm/v3/objects/contacts/${id}`, { properties: { phone } });
  await write(tour, { type: 'update', record: { id, phone: '+1 555 0100', lastname: 'Rūle II' } });
  await expectInCrm(tour, { phone, lastname: 'Rūle II' });
  return `phone +1 555 0100 and a new lastname -> 200; lastname is new, phone is still what the customer typed, ${phone}`;
}

/** The value comes back under the builder's name of the field. */
async function searchByMappedName(tour: Tour): Promise<string> {
  const { client, integration, groupRef, personId } = tour;
  const value = positionOf(tour);
  const body = { objectName, fieldFilters: [{ fieldName: 'position', operator: 'eq', value }] } as const;
  const reply = await client.raw.search.searchRecords({ integrationId: integration.id, groupRef, body });
  const { results } = expectStatus(reply, 200, 'The search').body;
  const ids = results.map(({ id }) => id).join(', ');
  expectThat(ids === personId, `The search should find ${personId} alone, and found: ${ids || 'nothing'}.`);
  expectThat(results[0]?.mappedFields['position'] === value, `mappedFields.position should be ${value}.`);
  return `position eq ${value} -> record ${ids} alone, position under mappedFields; the CRM was asked for ${title}`;
}

/** Deletion is off unless the customer's config turns it on. */
async function deleteRefused(tour: Tour): Promise<string> {
  const { personId: id } = tour;
  const { body } = await write(tour, { type: 'delete', record: { id } }, 403);
  await expectInCrm(tour, { lastname: 'Rūle II' });
  return `delete of record ${id} -> 403 "${describeBody(body)}"; the CRM has the record`;
}

/** Creates of each kind. Together with the other steps they stay below HubSpot's 110 calls in ten seconds. */
const samples = 30;
/** What a synchronous write may add, in milliseconds. Benchmarks on a quiet machine judge it: here a miss is only printed. */
const goalMs = 10;

/** The same creates with and without Sluice, in turn. */
async function measureOverhead(tour: Tour): Promise<string> {
  const through: number[] = [];
  const direct: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const person = tour.contacts[282 + (at % 15)] ?? {};
    through.push((await write(tour, { type: 'create', record: withMark(person, `s${at}`) })).tookMs);
    const properties = withMark(person, `d${at}`);
    const reply = await tour.sandbox.request('POST', '/crm/v3/objects/contacts', { properties });
    direct.push(expectStatus(reply, 201, 'A create of the sandbox').tookMs);
  }
  const medians = [through, direct].map((all) => all.toSorted((a, b) => a - b)[samples / 2] ?? 0);
  const [ours = 0, theirs = 0] = medians;
  const goal = ours - theirs <= goalMs ? 'within' : 'not judged here: over';
  return `${samples} creates through Sluice and ${samples} straight to the CRM -> median ${ours.toFixed(1)} ms and ${theirs.toFixed(1)} ms; Sluice adds ${(ours - theirs).toFixed(1)} ms (${goal} the goal of ${goalMs})`;
}

/** Waits for the three operations, then compares every contact and every call with the sandbox. */
async function compareAutoBatched(tour: Tour): Promise<string> {
  const { client, operationIds, sandbox, begunAt } = tour;
  const ids: string[] = [];
  for (const operationId of operationIds) {
    const { status, result } = await client.waitForOperation(operationId, { timeoutMs: 120_000 });
    expectThat(status === 'success', `Operation ${operationId} ended with ${status}: ${result}`);
    const { results } = await client.management.listOperationRecords({ operationId });
    ids.push(...results.flatMap(({ recordId }) => recordId ?? []));
  }
  const found = new Map((await readContacts(tour, ids)).map((contact) => [contact.properties.email, contact]));
  for (const contact of autoBatchedOf(tour)) expectSame(contact, found.get(contact.email?.toLowerCase()));
  const ledger = await sandbox.ledgerSince(begunAt);
  const calls = ledger.filter(({ recordIds }) => recordIds.some((id) => ids.includes(id)));
  const sizes = inOrder(calls.map(({ recordIds }) => recordIds.length));
  expectThat(sizes === batchSizes, `3 calls of ${batchSizes} should have reached the CRM, not ${sizes}.`);
  return `waited for the last batch -> 3 operations with success; the CRM got 3 calls of ${sizes} and has the 250 contacts once each, every value equal`;
}

const inOrder = (sizes: readonly number[]): string => sizes.toSorted((a, b) => b - a).join(', ');

/** A write as the builder's backend sends it. Which reply comes follows from the request. */
async function write<T>(tour: Tour, request: Omit<WriteRequest, 'groupRef'>, status = 200): Promise<Reply<T>> {
  const { client, integration, groupRef } = tour;
  const body = { groupRef, ...request };
  const reply = await client.raw.write.writeRecords({ integrationId: integration.id, objectName, body });
  return expectStatus(reply, status, `A ${request.mode ?? 'synchronous'} ${request.type}`) as Reply<T>;
}

function expectStatus<R extends Pick<Reply, 'status' | 'body'>>(reply: R, wanted: number, what: string): R {
  const { status, body } = reply;
  expectThat(status === wanted, `${what} should answer ${wanted}, and answered ${status} ${describeBody(body)}`);
  return reply;
}

/** These records as the CRM has them. Missing ones are left out. */
async function readContacts(
  { sandbox, contacts }: Tour,
  ids: readonly string[],
  fields = Object.keys(contacts[0] ?? {}),
) {
  const found: CrmContact[] = [];
  // HubSpot reads at most 100 at once.
  for (let at = 0; at < ids.length; at += 100) {
    const body = { inputs: ids.slice(at, at + 100).map((id) => ({ id })), properties: fields };
    const reply = await sandbox.request<{ results: CrmContact[] }>('POST', '/crm/v3/objects/contacts/batch/read', body);
    found.push(...reply.body.results);
  }
  return found;
}

/** Fails unless the CRM has the person of the later steps with these values. */
async function expectInCrm(tour: Tour, values: Contact): Promise<void> {
  const [found] = await readContacts(tour, [tour.personId], Object.keys(values));
  expectSame(values, found);
}

/** Fails unless the CRM has every value that was sent. HubSpot keeps an email in lower case; all else stays as it is, to the last space. */
function expectSame(sent: Contact, contact: CrmContact | undefined): void {
  expectThat(contact !== undefined, `The CRM has no contact for ${sent.email ?? sent.lastname}.`);
  for (const [property, value] of Object.entries(sent)) {
    const wanted = property === 'email' ? value.toLowerCase() : value;
    const found = contact.properties[property];
    expectThat(
      found === wanted,
      `Contact ${contact.id}: ${property} should be "${wanted}" in the CRM, and is "${found}".`,
    );
  }
}

/** `7 ms`, `61.3 s`: up to ten seconds in milliseconds. */
const duration = (ms: number): string => (ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(0)} ms`);

interface RunningServices {
  readonly addresses: Addresses;
  readonly adminKey: string;
  /** Where demo.json is written. */
  readonly folder: string;
  readonly print: Print;
}

/**
 * The demo and its tour on services that were started elsewhere, in containers for example, with the sandbox as their provider.
 * @returns whether every step had the result that it should
 */
export async function tourOfRunning({ addresses, adminKey, folder, print }: RunningServices): Promise<boolean> {
  // The key ring is theirs; here it only distinguishes the demos of two databases.
  const secrets = { adminKey, credentialsKeys: adminKey };
  const { demo, accounts } = await seedSandboxDemo({ folder, addresses, secrets });
  const { signal } = new AbortController();
  return await runTour({ demo, sandboxUrl: addresses.sandboxUrl, accounts, signal, print });
}
