import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { createAccount } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack } from '../harness/embedded-stack';
import { credentialsOf } from '../harness/project';
import { misplacedOn } from './console/layout';
import { useConsole } from './console/open-console';
import { violationsOf } from './console/violations';

const { withBrowser, stack, project, tab, open, openAt } = useConsole({
  of: 'the layout of the console in a real browser',
  start: () => startEmbeddedStack({ env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' } }),
});

const count = 20;
/** No list of so many rows is longer on a phone, in pixels. */
const heightMax = 2_000;
const widths = [1_240, 390] as const;
const longName =
  'Münchner Rückversicherungs-Gesellschaft Aktiengesellschaft in München (Konzern, Vertrieb Europa) 00417';

let receiver: Server;
beforeAll(async () => {
  receiver = createServer((_request, response) => void response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

/** Everything of a project that a page shows, under names as long as they come: 20 of each that a list has. */
async function fillProject(): Promise<{ readonly customer: Customer; readonly failed: string; readonly hook: string }> {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  const { integrationId } = customer;
  for (let at = 1; at < count; at += 1) {
    const account = await createAccount(stack, 'hubspot');
    const groupRef = `${at}-${longName}`;
    const { id } = await project.connect(account, groupRef, { ...credentialsOf(account), groupName: longName });
    await project.install(integrationId, {
      groupRef,
      connectionId: id,
      config: { content: { provider: 'hubspot', write: { objects: { contacts: { objectName: 'contacts' } } } } },
    });
    const body = { groupRef, type: 'create', record: { email: `not an address ${longName}` } } as const;
    await project.client.raw.write.writeRecords({ integrationId, objectName: 'contacts', body });
  }
  const batch = Array.from({ length: count }, (_none, at) => ({ record: { email: `${longName} ${at}` } }));
  const { body } = await customer.write('contacts', { type: 'create', mode: 'asynchronous', batch });
  await customer.ended(body.operationId);
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${'long'.repeat(40)}`;
  const { management } = project.client;
  const { id: hook } = await management.createWebhookEndpoint({ body: { url, description: longName } });
  for (const _ of batch) await management.testWebhookEndpoint({ endpointId: hook });
  return { customer, failed: body.operationId, hook };
}

/** Until everything that the page loads has come. */
async function shown(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

/** What is wrong on the page at both widths, a line each; it ends on a phone. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    for (const fault of [...(await misplacedOn(page)), ...(await violationsOf(page))])
      faults.push(`${name}, ${width} px: ${fault}`);
  }
  return faults;
}

withBrowser('every page fits its window, on a desktop and a phone, whatever the names are', async () => {
  const { customer, failed, hook } = await fillProject();
  const start = await open();
  await start.getByLabel('API key').waitFor();
  const faults = await faultsOf(start, 'sign-in');

  const page = await openAt('overview');
  const lists = ['operations', 'customers', 'lanes', `operations/${failed}`, `developers/webhooks/${hook}`];
  const others = [
    'overview',
    `customers/${customer.installationId}`,
    `customers/${customer.installationId}/config`,
    'customers/new',
    'developers/integrations',
    'developers/provider-apps',
    'developers/keys',
    'developers/webhooks',
    'developers/try',
    'developers/nowhere',
    'nowhere',
  ];
  for (const path of [...lists, ...others]) {
    await tab.goTo(path);
    await shown(page);
    const list = page.locator(path === 'customers' ? 'main .customer-list' : 'main table').last();
    if (lists.includes(path))
      await list
        .locator('tbody tr, :scope > li')
        .nth(count - 1)
        .waitFor();
    faults.push(...(await faultsOf(page, path)));
    // The provider's errors are a list of JSON; a list of ours has their sentences.
    if ((await page.locator('main').innerText()).includes('[{"')) faults.push(`${path}: shows JSON`);
    if (!lists.includes(path)) continue;
    const { height } = (await list.boundingBox()) ?? { height: Infinity };
    if (height >= heightMax) faults.push(`${path}: ${count} rows are ${height} px high`);
  }
  expect(faults).toEqual([]);
});

withBrowser('the palette opens a page, a customer and an operation by the keyboard', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  const account = await createAccount(stack, 'hubspot');
  await project.connect(account, 'zw-1', { ...credentialsOf(account), groupName: 'Zebra Works' });
  const record = { email: 'palette@example.com' };
  const { operationId } = (await customer.write('contacts', { type: 'create', record })).body;
  const page = await openAt('overview');
  // What is typed sooner goes to the page behind.
  const focused = () =>
    page.getByRole('combobox', { name: 'Page, customer or operation' }).and(page.locator(':focus')).waitFor();
  const find = async (text: string, name: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await focused();
    await page.keyboard.type(text);
    await page.getByRole('option', { name, selected: true }).waitFor();
  };
  await find('key', 'Keys');
  expect(await faultsOf(page, 'palette')).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
  expect(await page.title()).toBe('Keys · Sluice');

  await find(customer.groupRef, customer.groupRef);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: customer.groupRef }).waitFor();

  // By its name, and although it has installed nothing.
  await find('zebra w', 'Zebra Works');
  await page.getByRole('option', { name: 'zw-1 · not installed' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === '#/customers?groupRef=zw-1');

  await find(operationId, 'Operation contacts');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === `#/operations/${operationId}`);

  // As the console shows it, and as its list is read out of a log.
  await tab.goTo('overview');
  await find(operationId.slice(-8), 'Operation contacts');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === `#/operations/${operationId}`);
  await find('palette@example', 'Search operations for palette@example');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.hash === '#/operations?search=palette%40example');

  // The button does the same, and Escape leaves everything as it was.
  await page.getByRole('button', { name: 'Find' }).click();
  await focused();
  await page.keyboard.type('nobody begins like this');
  await page.getByText('Nothing begins with nobody begins like this.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // A lost network is shown where it was searched, and heals without another key.
  await page.getByRole('button', { name: 'Find' }).click();
  await focused();
  await tab.context.setOffline(true);
  await page.keyboard.type('group-');
  await page.getByRole('dialog').getByText('Customers and operations could not be searched').waitFor();
  await tab.context.setOffline(false);
  await page.getByRole('option', { name: customer.groupRef }).waitFor();
  await page.keyboard.press('Escape');
  await tab.goTo('customers');
  await page.getByRole('searchbox').waitFor();
  await page.locator('main').press('/');
  expect(await page.getByRole('searchbox').evaluate('document.activeElement.type')).toBe('search');
});
