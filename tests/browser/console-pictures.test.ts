import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import type { AcceptedWriteReply, WriteRequest } from '@sluice/types';
import type { Page } from 'playwright-core';
import { createAccount, type Account } from '../harness/account';
import { startEmbeddedStack } from '../harness/embedded-stack';
import { createProject, credentialsOf, integrationNamed, type Project } from '../harness/project';
import { fillHour } from './console/fill-hour';
import { useConsole } from './console/open-console';
import { pictures, type picturedPages } from './console/picture';
import { fitsEverybody } from './console/violations';

let database: ReturnType<typeof openDatabase>;
const { withBrowser, stack, tab, open } = useConsole({
  of: 'the main pages of the console, in both widths and both colours, in a real browser',
  start: async () => {
    // What waits must not reach its deadline.
    const started = await startEmbeddedStack({ timeScale: 1 });
    database = openDatabase({
      url: started.databaseUrl,
      poolMax: 1,
      applicationName: 'test',
      limits: patientLimits,
    });
    return { ...started, stop: () => database.destroy().then(() => started.stop()) };
  },
});

const names = {
  'acme-gmbh': 'Acme GmbH',
  globex: 'Globex Corporation',
  hooli: 'Hooli Inc.',
  initech: 'Initech',
  northwind: 'Northwind Traders',
  soylent: 'Soylent & Co.',
  umbrella: 'Umbrella Health',
  wayne: 'Wayne Enterprises',
} as const;
type Group = keyof typeof names;
const groups = Object.keys(names) as Group[];

const people = ['ana.souza', 'bo.lindqvist', 'chen.wei', 'dora.nagy', 'emre.kaya', 'fatima.noor', 'goran.petrov'];
const person = (at: number) => ({
  email: `${people[at % people.length]}+${at}@example.com`,
  firstname: people[at % people.length]?.split('.')[0],
});
const batchOf = (count: number) => Array.from({ length: count }, (_, at) => ({ record: person(at) }));

interface Installed {
  readonly account: Account;
  readonly installationId: string;
}

const objects = { contacts: { objectName: 'contacts' }, companies: { objectName: 'companies' } };
const declared = { objects: Object.values(objects) };
const integration = { name: 'crm', provider: 'hubspot', read: declared, write: declared };

async function install(project: Project, integrationId: string, groupRef: Group): Promise<Installed> {
  const account = await createAccount(stack, 'hubspot');
  const credentials = { ...credentialsOf(account), groupName: names[groupRef] };
  const { id: connectionId } = await project.connect(account, groupRef, credentials);
  const config = { content: { provider: 'hubspot', write: { objects } } };
  const { body } = await project.install(integrationId, { groupRef, connectionId, config });
  return { account, installationId: body.id };
}

withBrowser('the main pages of a project fit everybody, in both widths and both colours', async () => {
  const signIn = await open();
  await signIn.getByLabel('API key').waitFor();
  await shown(signIn, 'sign-in');

  const project = await createProject(stack, 'production');
  const { id: integrationId } = integrationNamed(await project.deploy([integration]), integration);
  const installed = {} as Record<Group, Installed>;
  for (const group of groups) installed[group] = await install(project, integrationId, group);
  const write = async (groupRef: Group, objectName: keyof typeof objects, what: object): Promise<string> => {
    const body = { groupRef, type: 'create', mode: 'asynchronous', ...what } as WriteRequest;
    const reply = await project.client.raw.write.writeRecords({ integrationId, objectName, body });
    return (reply.body as AcceptedWriteReply).operationId;
  };

  // A bad day: records that are refused, a customer without access, one who is blocked, one whose batch fills, and others.
  for (const group of groups.filter((each) => each !== 'northwind' && each !== 'umbrella')) {
    await write(group, 'contacts', { batch: batchOf(40) });
    await write(group, 'companies', { record: { name: names[group] } });
  }
  const batch = batchOf(100).map(({ record }, at) => ({
    record:
      at % 9 === 4
        ? { ...record, email: `${record.firstname} at example` }
        : at % 40 === 7
          ? { ...record, hs_lead_status: 'HOT' }
          : record,
  }));
  const failed = await write('northwind', 'contacts', { batch });
  for (const { record } of batchOf(12))
    await write('umbrella', 'contacts', { record, autoBatchPolicy: { maxDelayMinutes: 60 } });

  const page = await open();
  await tab.signIn(project.key);
  await tab.goTo(`operations/${failed}`);
  await page.getByText(/of 100 records were not written/).waitFor();
  await shown(page, 'operation');
  await installed.globex.account.revoke();
  await installed.hooli.account.fault({ action: { kind: 'status', status: 429, retryAfterSeconds: 900 }, times: 0 });
  for (const group of ['globex', 'hooli'] as const) await write(group, 'contacts', { batch: batchOf(12) });

  await tab.goTo('lanes');
  await page.locator('tbody tr', { hasText: 'Hooli' }).getByText('blocked', { exact: true }).waitFor();
  await page.locator('tbody tr', { hasText: 'Globex' }).getByText('credentials refused').waitFor();
  await shown(page, 'lanes');
  await tab.goTo('operations');
  await page.locator('tbody tr').nth(15).waitFor();
  await shown(page, 'operations');
  await tab.goTo('customers');
  await page.locator('.customer-list > li').nth(7).waitFor();
  await shown(page, 'customers');
  await tab.goTo(`customers/${installed.globex.installationId}`);
  await page.getByRole('button', { name: /link/i }).first().waitFor();
  await shown(page, 'customer');
  await tab.goTo('developers');
  await page.getByRole('link', { name: 'crm', exact: true }).waitFor();
  await shown(page, 'developers');
  await fillHour(database, project.id);
  await tab.goTo('overview');
  await page.locator('.chart canvas').nth(3).waitFor();
  await shown(page, 'overview');
});

async function shown(page: Page, name: (typeof picturedPages)[number]): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await fitsEverybody(page, name);
  await pictures(page, name);
}
