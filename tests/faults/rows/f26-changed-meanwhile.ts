import type { OperationRecord } from '@sluice/types';
import { call } from '../../harness/api';
import type { Customer } from '../../harness/customer';
import { createCustomer } from '../../harness/customer';
import { createProject, credentialsOf } from '../../harness/project';
import { check } from '../harness/checker';
import { mergeLedgers, newLedger, type ClientLedger } from '../harness/client-ledger';
import { latestSeq, sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import { sendWrite } from '../harness/send-write';
import type { World } from '../harness/world';
import { dieWhileDeleting } from './support/die-while-deleting';
import { raceDeletions } from './support/race-deletions';
import { executors } from './support/parties';
import { readLedger } from '../harness/provider-effects';

/** What is changed while writes wait, and what then becomes of them. */
interface Change {
  readonly name: string;
  readonly apply: (world: World, customer: Customer) => Promise<unknown>;
  /** Absent: they are written as they were accepted. */
  readonly refusal?: RegExp;
}

const contacts = { objectName: 'contacts' };
const withTitle = (stringValue: string) => ({
  ...contacts,
  selectedFieldSettings: { jobtitle: { default: { stringValue } } },
});

const changes: readonly Change[] = [
  { name: 'config', apply: (_world, customer) => changeConfig(customer, withTitle('after')) },
  { name: 'object', apply: (_world, customer) => undeclare(customer), refusal: /does not declare/ },
  { name: 'installation', apply: (_world, customer) => uninstall(customer), refusal: /installation/i },
  { name: 'connection', apply: (_world, customer) => reconnect(customer), refusal: /another connection/ },
];

/** One that takes several transactions, whose process dies between them. */
const deletion: Change = { name: 'deletion', apply: dieWhileDeleting, refusal: /installation/i };
/** More than the 250 calls that one of them ends. */
const deletedWrites = 300;

/**
 * Writes wait while their executors are away, and the ground changes. What was accepted is written as it was accepted, unless
 * it may not be any more.
 */
export const f26: Row = {
  id: 'F26',
  title: 'config changed / object disabled / deletion disabled / connection changed / installation deleted mid-queue',
  ciSize: { writes: 300, faults: 1 },
  fullSize: { writes: 3_000, faults: 1 },
  run: async (context) => {
    const { world, size } = context;
    const customers = await Promise.all(changes.map(() => configured(world)));
    for (const party of executors) await world.kill(party, 'SIGTERM');
    const each = Math.floor(size.writes / (changes.length + 1));
    const ledgers = await Promise.all(customers.map((customer, at) => queue(context, customer, { at, writes: each })));
    const deleted = await configured(world);
    const load = { writes: deletedWrites, mix: { single: 1 }, customers: [deleted], name: '-deleted' };
    const lastLedger = await sendLoad(context, load);
    for (const [at, customer] of customers.entries()) await changes[at]?.apply(world, customer);
    const misses = await dieWhileDeleting(world, deleted);
    await Promise.all(executors.map((party) => world.start(party)));
    const kept = ledgers.filter((_, at) => changes[at]?.refusal === undefined);
    const verdict = await check(context, mergeLedgers(kept));
    misses.push(...(await raceDeletions(context, await configured(world), each)));
    misses.push(...(await judge(world, lastLedger, deletion)));
    for (const [at, ledger] of ledgers.entries()) {
      const change = changes[at];
      if (change) misses.push(...(await judge(world, ledger, change)));
    }
    return { verdict, misses };
  },
};

/** Of a project of its own: a manifest is the whole project's. */
async function configured({ stack }: World): Promise<Customer> {
  const objects = { contacts: { ...withTitle('before'), deletionSettings: { enabled: true } } };
  return await createCustomer(stack, {
    provider: 'hubspot',
    project: await createProject(stack),
    read: ['contacts'],
    write: ['contacts'],
    config: { write: { objects } },
  });
}

async function queue({ world, run }: RowContext, customer: Customer, { at, writes }: { at: number; writes: number }) {
  const ledger = newLedger(await latestSeq(world));
  for (let sent = 0; sent < writes; sent += 1) {
    const way = sent % 2 === 0 ? 'single' : 'auto';
    await sendWrite(ledger, { customer, way, markers: [`${run}-${at}-${sent}`] }, { writeUrls: world.writeUrls });
  }
  return ledger;
}

async function changeConfig({ project, integrationId, installationId }: Customer, object: object): Promise<void> {
  const installation = { config: { content: { write: { objects: { contacts: object } } } } };
  const body = { updateMask: ['config.content.write.objects.contacts'], installation };
  const url = `${project.url}/integrations/${integrationId}/installations/${installationId}`;
  await call(url, { method: 'PATCH', key: project.key, body });
}

async function undeclare({ project, integrationId }: Customer): Promise<void> {
  const url = `${project.url}/integrations/${integrationId}`;
  const { name } = await call<{ name: string }>(url, { method: 'GET', key: project.key });
  const deployed = await project.deploy([
    { name, provider: 'hubspot', write: { objects: [{ objectName: 'companies' }] } },
  ]);
  if (deployed.status >= 300) throw new Error(`not deployed: ${JSON.stringify(deployed.body)}`);
}

async function uninstall({ project, integrationId, installationId }: Customer): Promise<void> {
  const url = `${project.url}/integrations/${integrationId}/installations/${installationId}`;
  await call(url, { method: 'DELETE', key: project.key });
}

async function reconnect({ project, account, groupRef, integrationId, installationId }: Customer): Promise<void> {
  // Of another consumer: credentials of the same one would go to the connection that is in use.
  const other = { consumerRef: `${groupRef}-other`, ...credentialsOf(account) };
  const { id: connectionId } = await project.connect(account, groupRef, other);
  const body = { updateMask: ['connectionId'], installation: { connectionId } };
  const url = `${project.url}/integrations/${integrationId}/installations/${installationId}`;
  await call(url, { method: 'PATCH', key: project.key, body });
}

async function judge(world: World, { records, sinceSeq }: ClientLedger, { name, refusal }: Change): Promise<string[]> {
  const [{ customer }] = records as [(typeof records)[number]];
  const wrote = (await readLedger(world, customer.account, sinceSeq)).reduce((sum, { applied }) => sum + applied, 0);
  if (refusal === undefined) return await judgePinned(customer, records.length);
  const ends = await Promise.all(
    [...new Set(records.map(({ operationId = '' }) => operationId))].map((id) => ended(customer, id)),
  );
  const unclear = ends.flat().filter(({ status, error }) => status !== 'failed' || !refusal.test(error?.message ?? ''));
  const [example] = unclear;
  return [
    ...(wrote > 0 ? [`${name}: ${wrote} records were written although they might not`] : []),
    ...(example ? [`${name}: ${unclear.length} ended ${example.status}: ${example.error?.message}`] : []),
  ];
}

async function ended(customer: Customer, operationId: string): Promise<readonly OperationRecord[]> {
  await customer.ended(operationId).catch(() => undefined);
  return await customer.recordsOf(operationId);
}

/** Every record has the default of the config that it was accepted under. */
async function judgePinned(customer: Customer, count: number): Promise<string[]> {
  const stored = await customer.account.records('contacts');
  const pinned = stored.filter(({ fields }) => fields['jobtitle'] === 'before').length;
  return pinned === count ? [] : [`config: ${pinned} of ${count} records were written as they were accepted`];
}
