import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';
import type { ConnectSession } from '@sluice/types';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { crms } from '../acceptance/crms';
import { createAccount, type Account, type ProviderName } from '../harness/account';
import { findChromium, openChromium } from '../harness/chromium';
import { createProject, type Project } from '../harness/project';
import { sharedStack } from '../harness/shared-stack';
import { serveBuilder } from './connect-page/serve-builder';
import { fitsEverybody } from './console/violations';

const program = findChromium('the connect page in a real browser');
const withBrowser = program === undefined ? it.skip : it;
const stack = sharedStack();
let browser: Browser;
let builder: Awaited<ReturnType<typeof serveBuilder>>;
const opened: BrowserContext[] = [];
/** What the browsers complained of, and what they asked for that is nobody's of the test. */
const complaints: string[] = [];

beforeAll(async () => {
  if (program === undefined) return;
  builder = await serveBuilder();
  browser = await openChromium(program);
});
const close = async (): Promise<void> => {
  for (const context of opened.splice(0)) await context.close();
  expect(complaints.splice(0)).toEqual([]);
};
afterEach(close);
afterAll(async () => {
  await browser?.close();
  await builder?.close();
});

interface Customer {
  readonly project: Project;
  readonly account: Account;
  readonly order: (more?: object) => Promise<ConnectSession>;
}

/** A project with an app at the provider and an integration, and a customer with an account there. */
async function prepare(provider: ProviderName, object: object): Promise<Customer> {
  const project = await createProject(stack);
  const account = await createAccount(stack, provider);
  const { clientId, clientSecret } = account;
  const { management } = project.client;
  await management.createProviderApp({ body: { provider, clientId, clientSecret, scopes: ['api', 'refresh_token'] } });
  await project.deploy([{ name: 'crm', displayName: 'Contacts', provider, read: { objects: [object] } }]);
  const who = { groupRef: 'acme', groupName: 'Acme GmbH', consumerRef: 'ann', integration: 'crm' };
  const order = (more: object = {}) => management.createConnectSession({ body: { ...who, ...more } });
  return { project, account, order };
}

/** A customer's browser. The provider's page asks before it allows; `isCut`: it breaks with the window that opened it. */
async function browse({ account }: Customer, isCut = false): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_240, height: 820 } });
  context.setDefaultTimeout(90_000);
  opened.push(context);
  const origins = new Set([stack.baseUrl, stack.sandboxUrl, builder.url].map((url) => new URL(url).origin));
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && !origins.has(origin)) complaints.push(request.url());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const isOfReply = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfReply) complaints.push(message.text());
  });
  await context.route(
    ({ pathname, searchParams }) =>
      pathname.endsWith('/oauth2/authorize') || pathname.endsWith('/oauth/authorize')
        ? !searchParams.has('account')
        : false,
    async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('account', account.name);
      const body = `<!doctype html><link rel="icon" href="data:,"><a href="${url.href.replaceAll('&', '&amp;')}">Allow</a>`;
      const headers = { 'cross-origin-opener-policy': isCut ? 'same-origin' : 'unsafe-none' };
      await route.fulfill({ contentType: 'text/html', headers, body });
    },
  );
  return context;
}

/** Opens the builder's page, and the connect page from it. @returns both */
async function openFromBuilder(context: BrowserContext, { url }: ConnectSession): Promise<[Page, Page]> {
  const own = await context.newPage();
  await own.goto(`${builder.url}/#${encodeURIComponent(url)}`);
  const opening = context.waitForEvent('page');
  await own.getByRole('button', { name: 'Connect' }).click();
  return [own, await opening];
}

const isBack = ({ pathname }: URL) => pathname === '/back';
const installationsOf = ({ project }: Customer) => project.client.management.listInstallationsForProject({});
const headingOf = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** What no request of ours changes. */
async function change({ project }: Customer, table: string, columns: object): Promise<void> {
  const database = openDatabase({ url: stack.databaseUrl, poolMax: 1, applicationName: 'test', limits: patientLimits });
  await database(table).where({ project_id: project.id }).update(columns);
  await database.destroy();
}

describe.each(crms)('%s', (provider, crm) => {
  withBrowser("installs, although the builder's tab was closed, and takes its mapping from the account", async () => {
    const requiredFields = [{ mapToName: 'surname', mapToDisplayName: 'Surname' }];
    const customer = await prepare(provider, {
      objectName: crm.object,
      requiredFields,
      optionalFields: [{ fieldName: crm.phone, mapToDisplayName: 'Telephone' }],
    });
    const context = await browse(customer, true);
    const [own, page] = await openFromBuilder(context, await customer.order({ returnUrl: `${builder.url}/back?at=1` }));
    await headingOf(page, 'to black box');
    await page.getByText('asks for access to the', { exact: false }).getByText('Acme GmbH').waitFor();
    await fitsEverybody(page, 'what is asked');
    await page.getByRole('button', { name: 'Continue to' }).click();
    await page.getByRole('link', { name: 'Allow' }).waitFor();
    await own.close();
    await page.getByRole('link', { name: 'Allow' }).click();

    await headingOf(page, 'Choose what black box uses');
    const surname = page.getByRole('combobox', { name: 'Surname' });
    await surname.fill('no such field');
    await page.getByLabel('Telephone').check();
    await page.getByRole('button', { name: 'Finish' }).click();
    const issue = page.getByRole('alert').filter({ hasText: 'Surname' });
    await issue.waitFor();
    await fitsEverybody(page, 'a mapping that is refused');
    expect(await surname.getAttribute('aria-invalid')).toBe('true');
    expect(await issue.getAttribute('id')).toBe((await surname.getAttribute('aria-describedby'))?.split(' ')[1]);
    await surname.fill(crm.last);
    await page.getByRole('option').first().waitFor();
    await fitsEverybody(page, 'what is chosen');
    await surname.press('Enter');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.waitForURL(isBack);
    const [installation, ...more] = await installationsOf(customer);
    expect(more).toEqual([]);
    const chosen = { selectedFields: { [crm.phone]: true }, selectedFieldMappings: { surname: crm.last } };
    expect(installation?.config.content.read?.objects).toMatchObject({ [crm.object]: chosen });
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('at'), searchParams.get('installationId')]).toEqual(['1', installation?.id]);
  });
});

describe.each([
  ['by a message', false],
  ['by the page it returns to, where the provider cut the window off', true],
])('%s', (_way, isCut) => {
  withBrowser('the page that opened the window hears of the end, and closes it', async () => {
    const customer = await prepare('hubspot', { objectName: 'contacts' });
    const context = await browse(customer, isCut);
    const [own, page] = await openFromBuilder(context, await customer.order({ returnUrl: `${builder.url}/back` }));
    await page.getByRole('button', { name: 'Continue to HubSpot' }).click();
    const closing = page.waitForEvent('close');
    await page.getByRole('link', { name: 'Allow' }).click();
    await closing;
    const [installation] = await installationsOf(customer);
    expect(JSON.parse(await own.locator('#result').innerText())).toEqual({
      installationId: installation?.id,
      connectionId: installation?.connection.id,
    });
  });
});

withBrowser('connects with a key that the customer has, and says at the field what is wrong with it', async () => {
  const customer = await prepare('hubspot', { objectName: 'contacts' });
  const page = await (await browse(customer)).newPage();
  await page.goto((await customer.order()).url);
  await page.getByRole('button', { name: 'Connect with: API key' }).click();
  const key = page.getByLabel('API key', { exact: true });
  await key.fill('wrong');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('alert').getByText('API key is refused by HubSpot').waitFor();
  expect(await key.getAttribute('aria-invalid')).toBe('true');
  await fitsEverybody(page, 'what is refused');
  await key.fill(customer.account.token);
  // The provider has not answered yet.
  let answer = (): void => undefined;
  const gate = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/connect-session/credentials', (route) => gate.then(() => route.continue()));
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  expect(await page.getByRole('button', { name: 'Asking HubSpot' }).isDisabled()).toBe(true);
  await fitsEverybody(page, 'what is checked');
  answer();
  await headingOf(page, 'Connected');
  expect(await installationsOf(customer)).toHaveLength(1);
});

withBrowser('marks what can be left empty, and says at the field what cannot', async () => {
  const customer = await prepare('salesforce', { objectName: 'Contact' });
  const page = await (await browse(customer)).newPage();
  await page.goto((await customer.order()).url);
  await page.getByLabel('My Domain (optional)', { exact: true }).waitFor();
  await fitsEverybody(page, 'inputs');
  await page.getByRole('button', { name: 'Connect with: Client credentials' }).click();
  const domain = page.getByLabel('My Domain', { exact: true });
  await page.getByLabel('Client id').fill('client');
  await page.getByLabel('Client secret').fill('secret');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('alert').getByText('My Domain is required.').waitFor();
  expect(await domain.getAttribute('aria-invalid')).toBe('true');
  await fitsEverybody(page, 'an input that is refused');
});

withBrowser('connects an account again whose access was refused, and no other one', async () => {
  const customer = await prepare('hubspot', { objectName: 'contacts' });
  const { clientId, clientSecret } = customer.account;
  const other = await createAccount(stack, 'hubspot', { app: { clientId, clientSecret } });
  const connect = async (account: Account, heading: string): Promise<Page> => {
    const page = await (await browse({ ...customer, account })).newPage();
    await page.goto((await customer.order()).url);
    await headingOf(page, heading);
    await fitsEverybody(page, heading);
    await page.getByRole('button', { name: 'Continue to HubSpot' }).click();
    await page.getByRole('link', { name: 'Allow' }).click();
    return page;
  };
  await headingOf(await connect(customer.account, 'Connect HubSpot to black box'), 'Connected');
  await change(customer, 'connections', { status: 'bad_credentials' });
  const refused = await connect(other, 'Connect HubSpot again');
  await refused.getByRole('alert').getByText('begin again and choose').waitFor();
  await fitsEverybody(refused, 'another account that is refused');
  const again = await connect(customer.account, 'Connect HubSpot again');
  await headingOf(again, 'Connected');
  const [installation, ...more] = await installationsOf(customer);
  expect([installation?.connection.status, more]).toEqual(['created', []]);
});

withBrowser('connects again and changes what was chosen', async () => {
  const optionalFields = [{ fieldName: 'phone', mapToDisplayName: 'Telephone' }];
  const customer = await prepare('hubspot', { objectName: 'contacts', optionalFields });
  const context = await browse(customer);
  const open = async (more?: object): Promise<Page> => {
    const page = await context.newPage();
    await page.goto((await customer.order(more)).url);
    return page;
  };
  const first = await open();
  await first.getByRole('button', { name: 'Continue to HubSpot' }).click();
  await first.getByRole('link', { name: 'Allow' }).click();
  await first.getByRole('button', { name: 'Skip' }).click();
  await headingOf(first, 'Connected');
  await fitsEverybody(first, 'the end');

  const edit = await open();
  await headingOf(edit, 'HubSpot is connected');
  await edit.getByText('If nothing is to be changed, you can close this page.').waitFor();
  await fitsEverybody(edit, 'what is installed');
  await edit.getByRole('button', { name: 'Change the fields' }).click();
  await edit.getByLabel('Telephone').check();
  await fitsEverybody(edit, 'what is changed');
  await edit.getByRole('button', { name: 'Save' }).click();
  await headingOf(edit, 'Connected');
  const again = await open({ returnUrl: `${builder.url}/back` });
  expect(await again.getByRole('link', { name: 'Back to black box' }).getAttribute('href')).toBe(`${builder.url}/back`);
  await again.getByRole('button', { name: 'Connect again' }).click();
  await again.getByRole('button', { name: 'Continue to HubSpot' }).click();
  await again.getByRole('link', { name: 'Allow' }).click();
  await again.waitForURL(isBack);
  const [installation, ...more] = await installationsOf(customer);
  expect(more).toEqual([]);
  expect(installation?.config.content.read?.objects?.['contacts']?.selectedFields).toEqual({ phone: true });
});

withBrowser('says of a link that is over what it is, and whom to ask', async () => {
  const customer = await prepare('hubspot', { objectName: 'contacts' });
  const [context, other] = [await browse(customer), await browse(customer)];
  const show = async (url: string, title: string): Promise<Page> => {
    const page = await other.newPage();
    await page.goto(url);
    await headingOf(page, title);
    await fitsEverybody(page, title);
    if (!url.endsWith('#none')) expect(await page.getByRole('main').innerText()).toMatch(/[Aa]sk black box/);
    return page;
  };
  const { url, token } = await customer.order();
  const mine = await context.newPage();
  await mine.goto(url);
  await mine.getByRole('button', { name: 'Continue to HubSpot' }).click();
  await mine.getByRole('link', { name: 'Allow' }).waitFor();
  await show(url, 'This link belongs to another browser');
  await mine.getByRole('link', { name: 'Allow' }).click();
  await headingOf(mine, 'Connected');
  await show(url, 'This link was used');
  await show(url.replace(token, 'none'), 'This link is not valid');
  const late = await customer.order();
  await change(customer, 'connect_sessions', { expires_at: new Date(Date.now() - 1_000) });
  await show(late.url, 'This link has expired');
});
