import { until } from '@sluice/testkit';
import type { Page } from 'playwright-core';
import { createAccount } from '../harness/account';
import { openConnectPage } from '../harness/connect-page';
import { createCustomer, type Customer } from '../harness/customer';
import { createProject, credentialsOf } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { useConsole } from './console/open-console';
import { picture } from './console/picture';
import { fitsEverybody, violationsOf } from './console/violations';

const { withBrowser, stack, project, tab, openAt } = useConsole({
  of: 'the customers of the console in a real browser',
  start: () => sharedStack(),
});

const newCustomer = (): Promise<Customer> =>
  createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
let made = 0;
const create = async (customer: Customer): Promise<string> => {
  const record = { email: `customer-${(made += 1)}@example.com` };
  return (await customer.write('contacts', { type: 'create', mode: 'asynchronous', record })).body.operationId;
};
const rowOf = (page: Page, { installationId }: Customer) =>
  page.locator('.customer-list li', { has: page.locator(`a[title="Installation ${installationId}"]`) });
/** The provider refuses the token until the fault is cleared. */
const refused = async (): Promise<{ readonly customer: Customer; readonly operationId: string }> => {
  const customer = await newCustomer();
  await customer.account.fault({ action: { kind: 'status', status: 401 }, times: 0 });
  const operationId = await create(customer);
  await until('the write is held', async () =>
    (await customer.connection()).status === 'bad_credentials' ? true : undefined,
  );
  return { customer, operationId };
};
const change = async ({ integrationId, installationId }: Customer, phone: string): Promise<string> => {
  const contacts = { objectName: 'contacts', selectedFieldSettings: { phone: { default: { stringValue: phone } } } };
  const installation = { config: { content: { write: { objects: { contacts } } } } };
  const body = { updateMask: ['config.content.write.objects.contacts'], installation };
  return (await project.client.management.updateInstallation({ integrationId, installationId, body })).config.id;
};
const short = (id: string): string => id.slice(-8);

withBrowser('says what is held, why and since when, and new credentials end it', async () => {
  const [well, { customer: ill, operationId }] = [await newCustomer(), await refused()];
  const page = await openAt('customers');
  await rowOf(page, ill).getByText('1 record held').waitFor();
  const badges = (of: Customer) => rowOf(page, of).locator('.badge').allInnerTexts();
  expect(await badges(well)).toEqual(['healthy']);
  expect(await badges(ill)).toEqual(['unhealthy']);
  // What is sick stands first.
  await page.locator('.customer-list li').first().getByText('unhealthy').waitFor();
  await rowOf(page, ill).locator('a.customer-line').click();
  await page.getByRole('heading', { name: ill.groupRef }).waitFor();
  await page.getByText('hubspot refuses the credentials.').waitFor();
  expect(await page.locator('.pairs').innerText()).toMatch(/Last error[^]*credentials/);

  await page.getByText('Send new credentials').click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('Access token is required. Nothing was sent.').waitFor();
  await page.getByLabel('Access token').fill('typed-and-wrong');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const issue = page.locator('[role=alert].issue');
  await issue.getByText('is refused by HubSpot').waitFor();
  // A secret is not repeated, nor is it lost: it can be corrected.
  expect(await issue.innerText()).not.toContain('typed');
  expect(await page.getByLabel('Access token').inputValue()).toBe('typed-and-wrong');
  expect(await page.getByLabel('Access token').getAttribute('aria-invalid')).toBe('true');
  await ill.account.clearFaults();
  await page.getByLabel('Access token').fill(ill.account.token);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('The provider accepts the new credentials.').waitFor();
  expect(await page.getByLabel('Access token').inputValue()).toBe('');
  await ill.ended(operationId);
  await page.locator('.title .badge.good').waitFor();
});

withBrowser('makes the link with which the customer connects again', async () => {
  const { customer, operationId } = await refused();
  const { clientId, clientSecret } = customer.account;
  const page = await openAt(`customers/${customer.installationId}`);
  const button = page.getByRole('button', { name: 'Make a link' });
  // Nothing else helps here, so it is the action of the page.
  expect(await button.getAttribute('class')).toBe('primary');
  await page.locator('tbody tr').getByText('Waits for new credentials: hubspot has refused them for').waitFor();
  expect(await page.getByRole('region', { name: 'Why it is unhealthy' }).getByRole('button').first().innerText()).toBe(
    'Make a link to connect again',
  );
  await button.click();
  await page.getByText('No link was made').waitFor();
  await project.client.management.createProviderApp({ body: { provider: 'hubspot', clientId, clientSecret } });
  await button.click();
  await customer.account.clearFaults();
  const url = await page.getByLabel('For the customer, once').inputValue();
  // Nothing of it needs the operator's page.
  await tab.goTo('operations');
  const visit = await openConnectPage(stack, { url });
  // Somebody else of the customer's, or the right person with the wrong account.
  const other = await createAccount(stack, 'hubspot', { app: { clientId, clientSecret } });
  expect((await visit.connect(other)).status).toBe(303);
  expect((await visit.view()).session?.failure).toMatch(/belongs to the account .* was chosen/);
  expect((await customer.connection()).status).toBe('bad_credentials');
  expect((await visit.connect(customer.account)).status).toBe(303);
  expect(await visit.view()).toMatchObject({ state: 'done' });
  await customer.ended(operationId);
  await tab.goTo(`customers/${customer.installationId}`);
  await page.locator('.title .badge.good').waitFor();
});

withBrowser('shows what a config was before, compares two versions, and puts an older one in force', async () => {
  const customer = await newCustomer();
  const second = await change(customer, '+1');
  const third = await change(customer, '+2');
  const page = await openAt(`customers/${customer.installationId}`);
  const history = page.locator('.history > li');
  await history.nth(2).waitFor();
  expect(await history.first().innerText()).toMatch(new RegExp(`${short(third)}[^]*in force[^]*from \\+1 to \\+2`));
  // By its label: the id of a key says nothing to a person.
  expect(await history.first().locator('.author').innerText()).not.toMatch(/[0-9a-f]{8}/);
  expect(await history.nth(2).innerText()).toContain('The first config of the installation.');
  await page.getByRole('button', { name: `JSON of ${short(third)}` }).click();
  await history.first().getByRole('group', { name: 'Lines that differ' }).getByText('"+2"').waitFor();
  await page.getByText('Compare two versions').click();
  const from = page.getByRole('combobox', { name: 'From' });
  const first = await from.locator('option').last().getAttribute('value');
  await from.selectOption(first);
  await page.locator('.comparison').getByText('set to +2').waitFor();
  expect(page.url()).toContain(`from=${first}`);
  await picture(page, 'console-config', page.locator('section', { has: history.first() }));
  await page.getByRole('button', { name: `Restore ${short(second)}` }).click();
  await page.getByRole('dialog').getByText('from +2 to +1').waitFor();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await history.nth(3).waitFor();
  const { config } = await customer.installation();
  expect(config.content.write?.objects?.['contacts']?.selectedFieldSettings).toMatchObject({
    phone: { default: { stringValue: '+1' } },
  });
});

// Two people look at one config: whoever is second decided on something that is no longer there.
withBrowser('who restores what somebody else has changed meanwhile is told, and nothing is lost', async () => {
  const customer = await newCustomer();
  const second = await change(customer, '+1');
  await change(customer, '+2');
  const page = await openAt(`customers/${customer.installationId}`);
  await page.getByRole('button', { name: `Restore ${short(second)}` }).click();
  const theirs = await change(customer, '+3');
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  const refusal = page.getByRole('dialog').getByRole('alert');
  await refusal.waitFor();
  expect(await refusal.innerText()).toMatch(
    new RegExp(`${theirs} is in force[^]*Read the installation again, compare[^]*config.superseded`),
  );
  expect((await customer.installation()).config.id).toBe(theirs);
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.locator('.history > li', { hasText: 'in force' }).getByTitle(theirs).waitFor();
  // Decided again, on what is there.
  await page.getByRole('button', { name: `Restore ${short(second)}` }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await customer.installation()).config.id).not.toBe(theirs);
});

withBrowser('finds customers by name or ref and by state, and says what is wrong with a search', async () => {
  const [well, { customer: ill }] = [await newCustomer(), await refused()];
  const page = await openAt('customers');
  const states = page.getByRole('navigation', { name: 'Customers by state' });
  const search = page.getByRole('searchbox', { name: 'Customer' });
  await states.getByRole('link', { name: /^Refused credentials [1-9]/ }).click();
  await rowOf(page, ill).waitFor();
  await rowOf(page, well).waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/#\/customers\?state=bad_credentials$/);
  await page.getByRole('link', { name: 'Clear' }).click();
  await search.fill(well.groupRef.toUpperCase());
  await rowOf(page, ill).waitFor({ state: 'detached' });
  await rowOf(page, well).waitFor();
  await search.fill('x'.repeat(300));
  await page.locator('.issue[data-field="search"]').getByText('must have at most').waitFor();
  await search.fill('nobody');
  await page.getByText('Nothing matches').waitFor();
});

withBrowser('installs for a customer whose account is connected and was not installed', async () => {
  const account = await newAccount('left-out');
  const groupRef = 'group-of-left-out';
  await project.connect(account, groupRef);
  const page = await openAt('customers?state=not_installed');
  const row = page.locator('.customer-list li', { hasText: groupRef });
  await row.getByText('Connected, not installed').waitFor();
  await row
    .getByRole('button', { name: /^Install / })
    .first()
    .click();
  await page.getByRole('heading', { name: groupRef }).waitFor();
  const { results } = await project.client.management.listGroupHealth({ groupRef });
  expect(results).toMatchObject([{ groupRef, unusedConnections: [], installations: [{ groupRef }] }]);
});

withBrowser('a connection that nothing uses is shown with its customer, and deleted', async () => {
  const customer = await newCustomer();
  await project.connect(await createAccount(stack, 'hubspot'), customer.groupRef);
  const page = await openAt(`customers/${customer.installationId}`);
  const unused = page.locator('.panel', { hasText: 'Connections that nothing uses' });
  await unused.getByText('another is in use').waitFor();
  // Nobody has written by it yet, and it is fine.
  await page.locator('.pairs').getByText('working', { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await unused.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click();
  await unused.waitFor({ state: 'detached' });
  const { results } = await project.client.management.listGroupHealth({ groupRef: customer.groupRef });
  expect(results).toMatchObject([{ unusedConnections: [], installations: [{ id: customer.installationId }] }]);
});

withBrowser('a lost network is shown, what was shown and typed stays, and it heals', async () => {
  const customer = await newCustomer();
  const page = await openAt(`customers/${customer.installationId}`);
  await page.getByText('Send new credentials').click();
  await page.getByLabel('Access token').fill(customer.account.token);
  await tab.context.setOffline(true);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('No answer from the management service.').waitFor();
  expect(await page.getByLabel('Access token').inputValue()).toBe(customer.account.token);
  await tab.context.setOffline(false);
  await page.getByText('No answer from the management service.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByText('The provider accepts the new credentials.').waitFor();
});

withBrowser('a key that may only read sees all of it and changes nothing; another project sees nothing', async () => {
  const customer = await newCustomer();
  const second = await change(customer, '+1');
  await change(customer, '+2');
  const [readKey, other] = [await project.createKey(['read']), await createProject(stack)];
  const page = await openAt(`customers/${customer.installationId}`, readKey);
  await page.getByRole('button', { name: `Restore ${short(second)}` }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByRole('dialog').getByText('auth.scope-missing').waitFor();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await tab.signIn(other.key);
  await page.getByText('The customer could not be read').waitFor();
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByText('No customer yet').waitFor();
});

/** An integration of its own, and an account that nobody has connected. */
const newAccount = async (name: string) => {
  await project.deploy([{ name, provider: 'hubspot', write: { objects: [{ objectName: 'contacts' }] } }]);
  return await createAccount(stack, 'hubspot');
};
const fillOrder = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('combobox', { name: 'Integration' }).selectOption(name);
  await page.getByLabel('Customer: your id').fill(`group-of-${name}`);
  await page.getByLabel('Who connects').fill(`user-of-${name}`);
};
const installed = async (name: string) =>
  (await project.client.management.listInstallationHealth({ groupRefPrefix: `group-of-${name}` })).results;

withBrowser(
  'connects a new customer with a token, after saying beside the field what the provider refused',
  async () => {
    const account = await newAccount('by-token');
    const page = await openAt('customers');
    await page.getByRole('link', { name: 'Connect a customer' }).first().click();
    await page.getByRole('combobox', { name: 'How' }).selectOption('oauth2AuthorizationCode');
    await page.getByRole('button', { name: 'Connect and install' }).click();
    await page.getByText('Access token is required. Nothing was sent.').waitFor();
    await fitsEverybody(page, 'new customer');
    await fillOrder(page, 'by-token');
    await page.getByLabel('Access token').fill('typed-and-wrong');
    await page.getByRole('button', { name: 'Connect and install' }).click();
    await page.locator('[role=alert].issue').getByText('is refused by HubSpot').waitFor();
    expect(await installed('by-token')).toEqual([]);
    await page.getByLabel('Access token').fill(account.token);
    await page.getByRole('button', { name: 'Connect and install' }).click();
    await page.getByRole('heading', { name: 'group-of-by-token' }).waitFor();
    const [customer] = await installed('by-token');
    expect(customer).toMatchObject({ integrationName: 'by-token', connection: { status: 'created' } });
  },
);

withBrowser('connects a new customer through a link, and installs when the customer has used it', async () => {
  const account = await newAccount('by-link');
  const { clientId, clientSecret } = account;
  await project.client.management.createProviderApp({ body: { provider: 'hubspot', clientId, clientSecret } });
  const page = await openAt('customers/new');
  await fillOrder(page, 'by-link');
  await page.getByText('A new customer: nobody has this id.').waitFor();
  const step = page.getByRole('region', { name: 'What happens' }).locator('[aria-current=step]');
  await step.getByText('You make a link').waitFor();
  await page.getByRole('button', { name: 'Make the link' }).click();
  await step.getByText('The customer opens it').waitFor();
  const url = await page.getByLabel('For the customer, once').inputValue();
  expect(await installed('by-link')).toEqual([]);
  expect((await (await openConnectPage(stack, { url })).connect(account)).status).toBe(303);
  await page.getByRole('heading', { name: 'group-of-by-link' }).waitFor();
  expect(await installed('by-link')).toMatchObject([{ integrationName: 'by-link' }]);
});

withBrowser('offers the customers that there are, and refuses at the field one who has the integration', async () => {
  const customer = await newCustomer();
  const account = await createAccount(stack, 'hubspot');
  await project.connect(account, 'zw-1', { ...credentialsOf(account), groupName: 'Zebra Works' });
  const page = await openAt('customers/new');
  const group = page.getByLabel('Customer: your id');
  await group.fill('zebra');
  await page.locator('option[value="zw-1"]').waitFor({ state: 'attached' });
  await group.fill(customer.groupRef);
  const { integrationName } = (await project.client.management.listInstallationHealth({})).results[0] ?? {};
  await page.getByRole('combobox', { name: 'Integration' }).selectOption(integrationName ?? '');
  await page.getByText(`has ${integrationName} already`).waitFor();
  await page.getByLabel('Who connects').fill('somebody');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.locator('[role=alert].issue').getByText(`must be a customer without ${integrationName}`).waitFor();
});

const connectPage = 'A link by which the customer connects and is installed';

withBrowser(
  'offers the ways that the provider of the integration takes, and names them when it refuses one',
  async () => {
    const contacts = { write: { objects: [{ objectName: 'contacts' }] } };
    await project.deploy([
      { name: 'by-key', provider: 'freshdesk', ...contacts },
      { name: 'by-page', provider: 'hubspot', ...contacts },
    ]);
    const page = await openAt('customers');
    await page.getByRole('link', { name: 'Connect a customer' }).first().click();
    const how = page.getByRole('combobox', { name: 'How' });
    const offered = () => how.locator('option').allInnerTexts();
    await fillOrder(page, 'by-key');
    // No page of its own, and no tokens: a key, or the key in place of a user.
    expect(await offered()).toEqual([connectPage, 'API key', 'User and password']);
    await how.selectOption('apiKey');
    await page.getByRole('button', { name: 'Connect and install' }).click();
    await page.getByText('API key is required. Nothing was sent.').waitFor();
    await fitsEverybody(page, 'by key');
    await page.getByRole('combobox', { name: 'Integration' }).selectOption('by-page');
    expect((await offered()).slice(0, 3)).toEqual([connectPage, 'Tokens that you have', 'API key']);
    // Of these the catalogue of providers says nothing.
    await how.selectOption('basicAuth');
    await fillOrder(page, 'by-page');
    await page.getByLabel('User', { exact: true }).fill('typed-user');
    await page.getByRole('textbox', { name: 'Password' }).fill('typed-password');
    await page.getByRole('button', { name: 'Connect and install' }).click();
    await page.getByRole('alert').filter({ hasText: 'takes no' }).first().waitFor();
    await fitsEverybody(page, 'refused way');
  },
);

// With everything open that can be opened, in both colours and widths.
withBrowser('can be used by everybody', async () => {
  const { customer } = await refused();
  await change(customer, '+1');
  const page = await openAt('customers');
  await rowOf(page, customer).waitFor();
  await fitsEverybody(page, 'list');
  await tab.goTo(`customers/${customer.installationId}`);
  await page.locator('.history > li').nth(1).waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.locator('.issue').first().waitFor();
  await fitsEverybody(page, 'page');
  await page.getByRole('button', { name: 'Restore' }).first().click();
  await page.getByRole('dialog').waitFor();
  await fitsEverybody(page, 'dialog');
});
