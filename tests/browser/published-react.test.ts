import { tokenIssuer, until } from '@sluice/testkit';
import type { Connection, Installation } from '@sluice/types';
import type { Browser, Locator } from 'playwright-core';
import { startStockroom, type Stockroom } from '../flows/provider-file/stockroom';
import { createAccount, type Account, type ProviderName } from '../harness/account';
import { call } from '../harness/api';
import { findChromium, openChromium } from '../harness/chromium';
import { createProject, integrationNamed, type Project } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';
import { bundlePage } from './published-react/bundle-page';
import { openPage, type OpenedPage } from './published-react/open-page';
import type { PageSettings } from './published-react/page-settings';
import { servePage, type PageServer } from './published-react/serve-page';

const program = findChromium('the published browser client (@amp-labs/react), unchanged, in a real browser');
const withBrowser = program ? it : it.skip;

const issuer = tokenIssuer();
let stack: OwnStack;
let stockroom: Stockroom;
let server: PageServer;
let browser: Browser;
let apiUrl: string;
/** Of the key that the builder's backend signs with. */
let kid: string;
let latest: OpenedPage | undefined;

beforeAll(async () => {
  if (program === undefined) return;
  stockroom = await startStockroom();
  stack = await startStack({
    only: ['sandbox', 'management'],
    declared: 'sandbox',
    env: { SLUICE_PROVIDERS_DIR: stockroom.folder },
  });
  apiUrl = stack.baseUrl.replace(/\/v1$/, '');
  server = await servePage(await bundlePage(apiUrl), (refs) => issuer.issue(kid, { ...refs, sub: refs.consumerRef }));
  browser = await openChromium(program);
});
afterEach(async () => {
  await latest?.close();
  latest = undefined;
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await stack?.stop();
  stockroom?.stop();
});

const providers = {
  hubspot: { shown: 'HubSpot', objectName: 'contacts', fields: { read: 'email', written: 'lastname' } },
  salesforce: { shown: 'Salesforce', objectName: 'Contact', fields: { read: 'Email', written: 'LastName' } },
  freshdesk: { shown: 'Freshdesk', objectName: 'contacts', fields: { read: 'email', written: 'name' } },
  zendeskSupport: { shown: 'Zendesk Support', objectName: 'tickets', fields: { read: 'subject', written: 'subject' } },
  klaviyo: { shown: 'Klaviyo', objectName: 'profiles', fields: { read: 'email', written: 'email' } },
  pipedrive: { shown: 'Pipedrive', objectName: 'persons', fields: { read: 'name', written: 'name' } },
  close: { shown: 'Close', objectName: 'lead', fields: { read: 'name', written: 'name' } },
  zoho: { shown: 'Zoho CRM', objectName: 'Contacts', fields: { read: 'Email', written: 'Last_Name' } },
  stockroom: { shown: 'Stockroom', objectName: 'items', fields: { read: 'name', written: 'name' } },
} as const;
type Provider = keyof typeof providers;

/**
 * A builder's project with an integration, its app at the provider, and a customer's account there.
 * @param app what is registered of the app, in place of what the provider knows
 * @param reads what the manifest says of the object besides
 */
async function prepare(provider: Provider, credentials: 'API key' | 'bearer token', app?: object, reads?: object) {
  const project = await createProject(stack);
  const { objectName, fields } = providers[provider];
  const declared = { objects: [{ objectName, optionalFieldsAuto: 'all' as const, ...reads }] };
  const integration = { name: `crm-${provider}`, provider, read: declared, write: { objects: [{ objectName }] } };
  const { id: integrationId } = integrationNamed(await project.deploy([integration]), integration);
  const hasApp = provider !== 'stockroom' && provider !== 'freshdesk';
  const account = hasApp ? await registerApp(project, provider as ProviderName, app) : undefined;
  const registered = { label: 'page', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  kid = (await call<{ kid: string }>(`${project.url}/jwt-keys`, { key: project.key, body: registered })).kid;
  const apiKey = credentials === 'API key' ? { apiKey: await project.createKey(['frontend']) } : {};
  const who = { groupRef: 'acme', consumerRef: 'anna' };
  const settings = {
    project: project.name,
    ...apiKey,
    integration: integration.name,
    provider,
    objectName,
    fields,
    ...who,
  };
  const open = async (view: PageSettings['view']) => {
    latest = await openPage(browser, { pageUrl: server.url, apiUrl, settings: { ...settings, view } });
    return latest;
  };
  return { project, account, integrationId, open };
}

async function registerApp(project: Project, provider: ProviderName, more?: object): Promise<Account> {
  // An app of its own: the provider's page knows by it whose account is meant.
  const own = { clientId: `app-of-${project.name}`, clientSecret: `secret-of-${project.name}` };
  const account = await createAccount(stack, provider, { app: own });
  const app = { provider, ...own, ...more };
  await call(`${project.url}/provider-apps`, { key: project.key, body: app });
  return account;
}

const installationsOf = ({ url, key }: Project, integrationId: string) =>
  call<Installation[]>(`${url}/integrations/${integrationId}/installations`, { method: 'GET', key });
const connectionsOf = ({ url, key }: Project) => call<Connection[]>(`${url}/connections`, { method: 'GET', key });

/** The customer follows the library to the provider's page, which lets the app in and sends the popup back. */
async function allowInPopup({ page, context }: OpenedPage): Promise<void> {
  const popup = context.waitForEvent('page');
  await page.getByRole('button', { name: 'Next' }).click();
  const window = await popup;
  // The library closes it when it has the message.
  if (!window.isClosed()) await window.waitForEvent('close');
}

/** What the headless view shows, as soon as it shows this. */
async function shows({ page }: OpenedPage, part: object): Promise<void> {
  const text = JSON.stringify(part).slice(1, -1);
  await page.locator('#shown', { hasText: text }).waitFor();
}

/** What a visit asks the API for that connects, installs, saves and deletes: all there is, with one status each. */
const wholeVisit = (provider: Provider) => [
  'DELETE /v1/projects/{project}/integrations/{id}/installations/{id} 204',
  'GET /callbacks/v1/oauth?code&state 200',
  'GET /v1/projects/{project} 200',
  'GET /v1/projects/{project}/connections?groupRef&provider 200',
  'GET /v1/projects/{project}/integrations 200',
  'GET /v1/projects/{project}/integrations/{id}/installations?groupRef 200',
  'GET /v1/projects/{project}/integrations/{id}/revisions/{id}:hydrate?connectionId 200',
  // The page of Salesforce asks whether a package is to be installed first.
  ...(provider === 'salesforce' ? ['GET /v1/projects/{project}/provider-apps 200'] : []),
  'GET /v1/projects/{project}?includeEntitlements 200',
  `GET /v1/providers/${provider} 200`,
  'PATCH /v1/projects/{project}/integrations/{id}/installations/{id} 200',
  'POST /v1/oauth-connect 200',
  'POST /v1/projects/{project}/integrations/{id}/installations 201',
];

describe.each([
  ['hubspot', 'API key'],
  ['hubspot', 'bearer token'],
  ['salesforce', 'API key'],
  ['salesforce', 'bearer token'],
] as const)('the headless library at %s with a %s', (provider, credentials) => {
  withBrowser('connects by OAuth, installs, edits, saves and deletes', async () => {
    const { shown, objectName, fields } = providers[provider];
    const { project, account, integrationId, open } = await prepare(provider, credentials);
    const opened = await open('connect');
    const { page } = opened;
    await allowInPopup(opened);
    await page.getByText(`You have successfully connected your ${shown} account to black box.`).waitFor();
    const [connection] = await connectionsOf(project);
    expect(connection).toMatchObject({
      authScheme: 'oauth2/authorizationCodePKCE',
      providerWorkspaceRef: account?.workspaceRef,
      providerMetadata: { workspace: { value: account?.workspaceRef, source: 'provider' } },
      consumer: { consumerRef: 'anna', consumerName: 'Anna' },
      group: { groupRef: 'acme', groupName: 'Acme' },
    });

    await opened.go('headless');
    await shows(opened, { connection: connection?.id });
    await page.locator('#shown', { hasText: /"fields":[1-9]/ }).waitFor();
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await click('read');
    await click('write');
    await shows(opened, { write: { objectName } });
    await click('create');
    await shows(opened, { said: 'create: done' });
    const [created] = await installationsOf(project, integrationId);
    expect(created).toMatchObject({
      connection: { id: connection?.id },
      config: { content: { read: { objects: { [objectName]: { selectedFields: { [fields.read]: true } } } } } },
    });
    await shows(opened, { installation: created?.id });

    await click('allow deletion');
    await click('default');
    await click('once');
    await click('save');
    await shows(opened, { said: 'save: done' });
    const settings = {
      objectName,
      deletionSettings: { enabled: true },
      selectedFieldSettings: { [fields.written]: { default: { stringValue: 'Doe' }, writeOnUpdate: 'never' } },
    };
    const [saved] = await installationsOf(project, integrationId);
    expect(saved?.config.content.write).toEqual({ objects: { [objectName]: settings } });

    await click('delete');
    await shows(opened, { said: 'delete: done' });
    await shows(opened, { installation: 'none' });
    expect(await installationsOf(project, integrationId)).toEqual([]);
    expect(opened.errors()).toEqual([]);
    expect(opened.calls()).toEqual(wholeVisit(provider));
  });
});

describe('the component that connects', () => {
  withBrowser('takes an API key; a wrong one is refused, and nothing is stored', async () => {
    const { project, open } = await prepare('stockroom', 'API key');
    const opened = await open('connect');
    const { page } = opened;
    const give = async (key: string) => {
      await page.getByPlaceholder('Paste your API key here').fill(key);
      await page.getByRole('button', { name: 'Next' }).click();
    };
    const refused = page.waitForResponse(/connections:generate/);
    await give('key-2');
    expect((await refused).status()).toBe(422);
    expect(await connectionsOf(project)).toEqual([]);
    await give('key-1');
    await page.getByText('You have successfully connected your Stockroom account').waitFor();
    expect(await connectionsOf(project)).toMatchObject([{ authScheme: 'apiKey', group: { groupName: 'Acme' } }]);
    expect(opened.calls()).toEqual([
      'GET /v1/projects/{project} 200',
      'GET /v1/projects/{project}/connections?groupRef&provider 200',
      'GET /v1/projects/{project}/integrations 200',
      'GET /v1/projects/{project}?includeEntitlements 200',
      'GET /v1/providers/stockroom 200',
      'POST /v1/projects/{project}/connections:generate 201',
      'POST /v1/projects/{project}/connections:generate 422',
    ]);
  });

  withBrowser('takes an API key that the provider wants as user name', async () => {
    const { project, open } = await prepare('freshdesk', 'API key');
    const body = { name: project.name, provider: 'freshdesk' };
    const account = await call<{ token: string; workspaceRef: string }>(`${stack.sandboxUrl}/_sandbox/accounts`, {
      body,
    });
    const { page } = await open('connect');
    await page.locator('input[name="workspace"]').fill(account.workspaceRef);
    // Its password stays empty: the library asks for one, the provider for none.
    await page.getByPlaceholder('Username').fill(account.token);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('You have successfully connected your Freshdesk account').waitFor();
    expect(await connectionsOf(project)).toMatchObject([
      { authScheme: 'basic', providerWorkspaceRef: account.workspaceRef, group: { groupName: 'Acme' } },
    ]);
  });

  // Each provider that is served, by the form that the library draws of what the catalogue says of it.
  for (const provider of ['close', 'klaviyo', 'pipedrive', 'zendeskSupport', 'zoho'] as const) {
    withBrowser(`connects ${provider} by its form`, async () => {
      const { project, account, open } = await prepare(provider, 'bearer token');
      const opened = await open('connect');
      const { page } = opened;
      const next = page.getByRole('button', { name: 'Next' });
      await next.waitFor();
      // What the catalogue asks for besides: the workspace in the address, and the data centre.
      const asked = { workspace: account?.workspaceRef ?? '', region: 'com' };
      for (const [name, value] of Object.entries(asked)) {
        const input = page.locator(`input[name="${name}"]`);
        if ((await input.count()) > 0) await input.fill(value);
      }
      await allowInPopup(opened);
      const { shown } = providers[provider];
      await page.getByText(`You have successfully connected your ${shown} account`).waitFor();
      expect(await connectionsOf(project)).toMatchObject([
        { providerWorkspaceRef: account?.workspaceRef, group: { groupName: 'Acme' } },
      ]);
      expect(opened.errors()).toEqual([]);
    });
  }

  withBrowser('leads to the install page of a Salesforce package first, then takes the My Domain', async () => {
    const packageInstallURL = 'https://login.salesforce.com/packaging/installPackage.apexp?p0=04t000000000001';
    const app = { metadata: { providerParams: { packageInstallURL } } };
    const { project, account, open } = await prepare('salesforce', 'bearer token', app);
    const opened = await open('connect');
    const { page } = opened;
    expect(await page.getByRole('link', { name: 'Install Salesforce Package' }).getAttribute('href')).toBe(
      packageInstallURL,
    );
    await page.getByRole('button', { name: /Already installed/ }).click();
    await page.getByText('Use My Domain').click();
    await page.locator('input[name="workspace"]').fill(account?.workspaceRef ?? '');
    await allowInPopup(opened);
    await page.getByText('You have successfully connected your Salesforce account').waitFor();
    expect(await connectionsOf(project)).toMatchObject([
      {
        providerWorkspaceRef: account?.workspaceRef,
        providerMetadata: { workspace: { value: account?.workspaceRef, source: 'input' } },
      },
    ]);
  });

  withBrowser('refuses another account than the My Domain that was given', async () => {
    const { project, account, open } = await prepare('salesforce', 'bearer token');
    const opened = await open('connect');
    const { page } = opened;
    await page.getByText('Use My Domain').click();
    await page.locator('input[name="workspace"]').fill('another');
    await allowInPopup(opened);
    // The button is greyed out beside the message, and before it.
    const sentence = `is for the workspace another, and ${account?.workspaceRef} was`;
    await page.locator('main', { hasText: sentence }).waitFor();
    await page.getByRole('button', { name: 'Next', disabled: true }).waitFor();
    expect(await connectionsOf(project)).toEqual([]);
  });

  withBrowser('shows why an authorization failed', async () => {
    const { project, open } = await prepare('hubspot', 'bearer token', { clientSecret: 'not-the-secret-of-the-app' });
    const opened = await open('connect');
    await allowInPopup(opened);
    // The button is greyed out beside the message, and before it.
    await opened.page.locator('main', { hasText: /client secret/ }).waitFor();
    await opened.page.getByRole('button', { name: 'Next', disabled: true }).waitFor();
    expect(await connectionsOf(project)).toEqual([]);
    expect(opened.calls()).toContain('GET /callbacks/v1/oauth?code&state 400');
  });
});

describe.each(['hubspot', 'salesforce'] as const)('the prebuilt component at %s', (provider) => {
  withBrowser('connects, installs, chooses fields, stops and resumes reading, allows writing, uninstalls', async () => {
    const { objectName } = providers[provider];
    const { project, integrationId, open } = await prepare(provider, 'bearer token');
    const opened = await open('prebuilt');
    const { page } = opened;
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click();
    const installation = async () => (await installationsOf(project, integrationId))[0];
    /** After a save the library draws its tabs anew, on the first of them: whoever was faster opens his again. */
    const inTab = async (name: RegExp, control: Locator): Promise<void> => {
      await until(`the tab ${String(name)} has the control`, async () => {
        await page.getByRole('tab', { name }).click();
        const gone = await control.click({ timeout: 5_000 }).catch((error: unknown) => error);
        return gone === undefined || undefined;
      });
    };
    /** Until the save of the page has come back. */
    const saved = async (method: string, act: () => Promise<void>) => {
      const done = page.waitForResponse(
        (reply) => reply.request().method() === method && reply.url().includes('/installations'),
      );
      await act();
      expect((await done).status()).toBe({ POST: 201, PATCH: 200, DELETE: 204 }[method]);
    };
    await allowInPopup(opened);
    await saved('POST', () => press('Install'));
    expect((await installation())?.config.content.read?.objects).toHaveProperty(objectName);

    await page.getByRole('tab', { name: new RegExp(objectName, 'i') }).click();
    await press(/^Stop reading from/);
    await saved('PATCH', () => press('Stop reading'));
    expect((await installation())?.config.content.read?.objects?.[objectName]).toMatchObject({ disabled: true });
    await saved('PATCH', () => press(/^Re-enable reading/));
    expect((await installation())?.config.content.read?.objects?.[objectName]).toMatchObject({ disabled: false });

    await inTab(/write/i, page.getByRole('checkbox', { name: new RegExp(`^${objectName}$`, 'i') }));
    await saved('PATCH', () => press('Save'));
    expect((await installation())?.config.content.write?.objects).toEqual({ [objectName]: { objectName } });

    await saved('DELETE', () => inTab(/manage/i, page.getByRole('button', { name: 'Yes, uninstall' })));
    await page.getByText('Integration successfully uninstalled.').waitFor();
    expect(await installation()).toBeUndefined();
    expect(opened.errors()).toEqual([]);
    expect(opened.calls()).toEqual(wholeVisit(provider));
  });
});

describe('the prebuilt component', () => {
  withBrowser("offers the account's fields for a mapping, and installs the one that is chosen", async () => {
    const reads = { requiredFields: [{ mapToName: 'position', mapToDisplayName: 'Position' }] };
    const { project, integrationId, open } = await prepare('hubspot', 'bearer token', undefined, reads);
    const opened = await open('prebuilt');
    const { page } = opened;
    await allowInPopup(opened);
    await page.getByText('Map the following fields').waitFor();
    await page.getByPlaceholder('Please select one').click();
    await page.getByRole('option', { name: 'Jobtitle', exact: true }).click();
    const created = page.waitForResponse((reply) => reply.request().method() === 'POST' && reply.status() === 201);
    await page.getByRole('button', { name: 'Install' }).click();
    await created;
    const [installation] = await installationsOf(project, integrationId);
    expect(installation?.config.content.read?.objects?.['contacts']?.selectedFieldMappings).toEqual({
      position: 'jobtitle',
    });
    expect(opened.errors()).toEqual([]);
  });
});
