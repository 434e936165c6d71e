import { generateKeyPairSync } from 'node:crypto';
import { until } from '@sluice/testkit';
import type { Locator, Page } from 'playwright-core';
import { createCustomer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { useConsole } from './console/open-console';
import { picture } from './console/picture';
import { fitsEverybody } from './console/violations';

const { withBrowser, stack, project, openAt } = useConsole({
  of: 'what developers set up in the console in a real browser',
  start: () => sharedStack(),
  mayAsk: ({ writeUrl }) => [writeUrl],
});

const crm = (read: readonly string[], write: readonly string[] = []) => ({
  name: 'crm',
  provider: 'hubspot',
  read: { objects: read.map((objectName) => ({ objectName })) },
  write: { objects: write.map((objectName) => ({ objectName })) },
});
/** JSON is YAML. */
const manifestOf = (...integrations: readonly object[]): string =>
  JSON.stringify({ specVersion: '1.0.0', integrations }, null, 2);
const show = async (page: Page, manifest: string): Promise<void> => {
  await page.getByLabel('Manifest, as YAML').fill(manifest);
  await page.getByRole('button', { name: 'Show what it changes' }).click();
};

withBrowser('shows what a manifest changes before it is deployed, member by member', async () => {
  await project.deploy([crm(['contacts', 'companies'])]);
  const page = await openAt('developers/integrations');
  const row = page.locator('tbody tr', { hasText: 'contacts, companies' });
  await row.waitFor();
  expect(await row.innerText()).toContain('tests');
  await page.getByRole('link', { name: 'Deploy a manifest' }).click();
  await show(page, manifestOf(crm(['contacts'], ['deals']), { ...crm(['contacts']), name: 'erp' }));
  await page.getByRole('heading', { name: /^crm hubspot/ }).waitFor();
  const differences = await page.locator('table.diff').first().locator('tbody tr').allInnerTexts();
  expect(differences).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/removed[^]*read › objects › companies/),
      expect.stringMatching(/added[^]*write[^]*deals/),
    ]),
  );
  const lines = await page.locator('.line-diff').first().locator('.added, .removed').allInnerTexts();
  expect(lines.map((line) => line.replaceAll(/\s+/g, ' '))).toEqual([
    '− removed: - objectName: companies',
    '− removed: objects: []',
    '+ added: objects:',
    '+ added: - objectName: deals',
  ]);
  await picture(page, 'console-manifest', page.locator('section.panel'));
  // Nothing is deployed by looking.
  expect((await project.client.management.listIntegrations()).map(({ name }) => name)).toEqual(['crm']);
  await page.getByLabel('Stop reading companies of crm in every installation').check();
  await page.getByRole('button', { name: 'Deploy it' }).click();
  await page.getByText('Deployed: crm, erp.').waitFor();
  await show(page, manifestOf(crm(['contacts'], ['deals'])));
  await page.locator('h2 .badge', { hasText: 'unchanged' }).waitFor();
  expect(await page.getByRole('button', { name: 'Deploy it' }).count()).toBe(0);
});

// Without a change the text that is shown is what is in force: whoever deploys it again makes no revision.
withBrowser('shows the manifest in force, and loads it to be changed', async () => {
  const [integration] = (await project.deploy([crm(['contacts'], ['deals'])])).body;
  const page = await openAt(`developers/integrations/${integration?.id}`);
  await page.getByText('- objectName: contacts').waitFor();
  await fitsEverybody(page, 'integration');
  await page.getByRole('link', { name: 'Change it' }).click();
  const field = page.getByLabel('Manifest, as YAML');
  await field.waitFor();
  const text = await field.inputValue();
  expect(text).toMatch(/^specVersion: 1\.0\.0\nintegrations:\n {2}- name: crm\n/);
  await show(page, text);
  await page.locator('h2 .badge', { hasText: 'unchanged' }).waitFor();
  await show(page, text.replace('objectName: deals', 'objectName: companies'));
  await page.locator('.line-diff .added', { hasText: '- objectName: companies' }).waitFor();
  await page.getByRole('button', { name: 'Deploy it' }).click();
  await page.getByText('Deployed: crm.').waitFor();
  const [changed] = await project.client.management.listIntegrations();
  expect(changed?.latestRevision.content.write?.objects).toMatchObject([{ objectName: 'companies' }]);
});

withBrowser('says beside the manifest what is wrong with it, with line and column', async () => {
  const page = await openAt('developers/integrations');
  await page.getByText('No integration yet').waitFor();
  await page.getByRole('link', { name: 'Deploy a manifest' }).first().click();
  const field = page.getByLabel('Manifest, as YAML');
  await show(page, 'specVersion: 1.0.0\nintegrations:\n  - name: crm\n    provider: nobody\n');
  await page.locator('#issues-manifest').getByText('integrations[0].provider is not known').waitFor();
  expect(await page.locator('#issues-manifest').innerText()).toContain('(line 4, column 5)');
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await show(page, 'specVersion: [');
  await page.locator('#issues-manifest').getByText('is not readable as YAML').waitFor();
  // What is wrong stands there: not the sentence for who reads the reply, which sends them to `issues`.
  expect(await page.locator('#issues-manifest').innerText()).not.toContain('issues');
  // What was typed stays, to be corrected.
  expect(await field.inputValue()).toBe('specVersion: [');
});

// Two people deploy: the second decided on something that is no longer there.
withBrowser('deploys nothing when somebody else has deployed since the changes were shown', async () => {
  const page = await openAt('developers/integrations/deploy');
  await show(page, manifestOf(crm(['contacts'])));
  await page.locator('h2 .badge', { hasText: 'created' }).waitFor();
  const theirs = crm(['deals']);
  await project.deploy([theirs]);
  await page.getByRole('button', { name: 'Deploy it' }).click();
  await page.getByText('Nothing was deployed: the integrations were changed meanwhile.').waitFor();
  await page.locator('h2 .badge', { hasText: 'revised' }).waitFor();
  const [integration] = await project.client.management.listIntegrations();
  expect(integration?.latestRevision.content.read?.objects).toMatchObject(theirs.read.objects);
  // Decided again, on what is there.
  await page.getByRole('button', { name: 'Deploy it' }).click();
  await page.getByText('Deployed: crm.').waitFor();
});

withBrowser('makes a key that is shown once, refuses it, accepts it again and deletes it', async () => {
  const page = await openAt('developers/keys');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'API keys' }) });
  const open = section.getByRole('button', { name: 'Add an API key…' });
  const dialog = page.getByRole('dialog', { name: 'Add an API key' });
  const add = dialog.getByRole('button', { name: 'Add it' });
  const focused = (element: Locator) => element.and(page.locator(':focus')).waitFor();
  await open.click();
  await focused(dialog.getByLabel('What it is for'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await focused(open);
  await open.click();
  await dialog.getByLabel('What it is for').fill('reporting');
  await add.click();
  // What was typed stays, and the focus is where something is wrong.
  await dialog.getByText('Scopes needs one at least.').waitFor();
  expect(await dialog.getByLabel('What it is for').inputValue()).toBe('reporting');
  await dialog.getByLabel('What it is for').fill('');
  await add.click();
  await dialog.getByText('What it is for is required.').waitFor();
  await focused(dialog.getByLabel('What it is for'));
  await dialog.getByLabel('What it is for').fill('reporting');
  await dialog.getByRole('checkbox', { name: 'read' }).check();
  await add.click();
  const key = await section.getByRole('textbox', { name: 'Key "reporting"' }).inputValue();
  const lanes = async (): Promise<number> =>
    (await fetch(`${project.url}/lanes`, { headers: { 'x-api-key': key } })).status;
  // Made and used by nobody yet; afterwards it says when.
  const row = section.locator('tr', { hasText: 'reporting' });
  await row.getByText('not yet').waitFor();
  expect(await row.innerText()).toMatch(/sk_….{5}…[^]*by tests/);
  expect(await row.innerText()).not.toContain(key);
  expect(await lanes()).toBe(200);
  await page.getByRole('button', { name: 'Refuse reporting…' }).click();
  await page.getByRole('button', { name: 'Refuse it' }).click();
  await row.getByText('disabled').waitFor();
  await row.getByText('not yet').waitFor({ state: 'detached' });
  // A change is in force within a second.
  await until('the key is refused', async () => ((await lanes()) === 401 ? true : undefined));
  await page.getByRole('button', { name: 'Accept reporting…' }).click();
  await page.getByRole('button', { name: 'Accept it' }).click();
  await section.locator('tr', { hasText: 'reporting' }).getByText('enabled').waitFor();
  await page.getByRole('button', { name: 'Delete reporting…' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await section.locator('tr', { hasText: 'reporting' }).waitFor({ state: 'detached' });
  const left = await project.client.management.listApiKeys();
  expect(left.map(({ label }) => label)).not.toContain('reporting');
});

withBrowser('registers a JWT key, and says beside it what is wrong with it', async () => {
  const page = await openAt('developers/keys');
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'JWT keys' }) });
  await section.getByRole('button', { name: 'Add a JWT key…' }).click();
  const add = page.getByRole('button', { name: 'Add it' });
  await section.getByLabel('What it is for').fill('browser');
  await section.getByLabel('RSA public key, PEM').fill('-----BEGIN PUBLIC KEY-----\nnone\n-----END PUBLIC KEY-----');
  await add.click();
  await section
    .locator('.issue[data-field="publicKeyPem"]')
    .getByText('must be an RSA public key in PEM form')
    .waitFor();
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  await section.getByLabel('RSA public key, PEM').fill(publicKey.export({ type: 'spki', format: 'pem' }).toString());
  await add.click();
  const kid = await section.getByRole('textbox', { name: 'The kid in the header of tokens' }).inputValue();
  expect(await project.client.management.listJwtKeys()).toMatchObject([{ id: kid, label: 'browser', active: true }]);
});

withBrowser('adds, changes and deletes a provider app, and never shows its secret', async () => {
  await project.deploy([crm(['contacts'], ['deals'])]);
  const page = await openAt('developers/provider-apps');
  await page.getByText('No provider app yet').waitFor();
  // What to set at the provider, and what is missing here.
  await page.getByText('No app of HubSpot.').waitFor();
  const redirect = page.getByRole('textbox', { name: 'Redirect address to register at HubSpot' });
  expect(await redirect.inputValue()).toMatch(/\/callbacks\/v1\/oauth$/);
  const needed = await page.getByRole('textbox', { name: 'Scopes that crm needs' }).inputValue();
  expect(needed.split(' ')).toEqual(
    expect.arrayContaining(['oauth', 'crm.objects.contacts.read', 'crm.objects.deals.write']),
  );
  expect(needed).not.toContain('crm.objects.contacts.write');
  await page.getByRole('button', { name: 'Add an app of HubSpot…' }).click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Client secret is required.').waitFor();
  expect(await page.getByLabel('Scopes, with spaces between').inputValue()).toBe(needed);
  await page.getByLabel('Client id').fill('my-client');
  await page.getByLabel('Client secret').fill('typed-secret');
  await page.getByLabel('Scopes, with spaces between').fill('crm.objects.contacts.read  crm.objects.contacts.write');
  await page.getByRole('button', { name: 'Add it' }).click();
  const row = page.locator('tbody tr', { hasText: 'my-client' });
  await row.waitFor();
  const apps = () => project.client.management.listProviderApps();
  const scopes = ['crm.objects.contacts.read', 'crm.objects.contacts.write'];
  expect(await apps()).toMatchObject([{ provider: 'hubspot', clientId: 'my-client', scopes }]);
  await row.getByRole('button', { name: 'Change' }).click();
  const form = page.getByRole('dialog', { name: 'Change my-client' });
  await form.getByLabel("The provider's id for the app").fill('4711');
  await form.getByLabel('Scopes, with spaces between').fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await row.getByText('4711').waitFor();
  const [changed] = await apps();
  expect(changed).toMatchObject({ clientId: 'my-client', externalRef: '4711' });
  expect(changed?.scopes ?? []).toEqual([]);
  expect(await page.locator('main').innerHTML()).not.toContain('typed-secret');
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('No provider app yet').waitFor();
});

withBrowser('tries a write: dry first, then in earnest, and says beside the fields what is wrong', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  const page = await openAt('developers/try');
  const plan = page.getByRole('button', { name: 'Plan (dry run)' });
  const search = page.getByRole('searchbox', { name: 'Customer' });
  await search.fill('nobody');
  await page.getByText('No name and no ref begins so.').waitFor();
  await project.client.management.createGroup({ body: { groupRef: customer.groupRef, groupName: 'Vela Robotics' } });
  await search.fill('vela');
  await page.getByRole('button', { name: `Vela Robotics ${customer.groupRef}` }).click();
  expect(await page.getByLabel('Object').inputValue()).toBe('contacts');
  await page.getByLabel('Record, as JSON').fill('{ "email": ');
  await plan.click();
  await page.locator('.issue[data-field="record"]').getByText('Record, as JSON is no JSON').waitFor();
  // From the fields of the account.
  await page.getByRole('button', { name: 'Fill in a sample' }).click();
  await until('the sample is there', async () =>
    (await page.getByLabel('Record, as JSON').inputValue()).includes('"email": "zoe@example.com"') ? true : undefined,
  );
  await plan.click();
  await page.getByText('Nothing was written. This would be sent:').waitFor();
  expect(await page.locator('tbody').innerText()).toMatch(/email[^]*"zoe@example\.com"/);
  await page.getByText('Whether the account has these fields only the write shows.').waitFor();
  await fitsEverybody(page, 'dry run');
  const operations = async () => (await project.client.management.listOperationsForProject()).results;
  expect(await operations()).toEqual([]);
  await page.getByRole('button', { name: 'Send to Vela Robotics' }).click();
  await page.getByText(/^Written, as \d+/).waitFor();
  await page.getByRole('link', { name: 'the operation' }).click();
  await page.getByRole('heading', { name: 'contacts' }).waitFor();
  expect(await operations()).toMatchObject([{ status: 'success' }]);
});

// What became of a refused record stands on the page of its operation.
withBrowser('says beside the field what the provider refuses, and leads to the operation', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  const page = await openAt('developers/try');
  await page.getByRole('button', { name: customer.groupRef }).click();
  await page.getByLabel('Record, as JSON').fill('{ "email": "no-email-at-all" }');
  await page.getByRole('button', { name: 'Send to' }).click();
  await page.getByText('The write was refused').waitFor();
  const row = page.locator('tbody tr', { hasText: 'no-email-at-all' });
  expect(await row.innerText()).toMatch(/^email[^]*"no-email-at-all"[^]*is invalid[^]*INVALID_EMAIL/);
  await fitsEverybody(page, 'refused write');
  await page.getByRole('link', { name: 'See the operation' }).click();
  await page.getByText('INVALID_EMAIL').first().waitFor();
});

withBrowser('tries no write with a key that may not, unless another is given', async () => {
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
  const page = await openAt('developers/try', await project.createKey(['frontend']));
  await page.getByRole('button', { name: customer.groupRef }).click();
  await page.getByLabel('Record, as JSON').fill('{ "email": "zoe@example.com" }');
  await page.getByRole('button', { name: 'Plan' }).click();
  await page.getByText('auth.scope-missing').waitFor();
  await page
    .getByLabel('Another API key with the scope write, if the one you signed in with lacks it')
    .fill(await project.createKey(['write']));
  await page.getByRole('button', { name: 'Plan' }).click();
  await page.getByText('Nothing was written. This would be sent:').waitFor();
});

// With everything open that can be opened, in both colours and widths.
withBrowser('can be used by everybody', async () => {
  await project.deploy([crm(['contacts', 'companies'])]);
  const page = await openAt('developers/integrations/deploy');
  await show(page, 'specVersion: [');
  await page.locator('#issues-manifest').waitFor();
  await fitsEverybody(page, 'refused');
  await show(page, manifestOf(crm(['contacts'])));
  await page.locator('table.diff').waitFor();
  await fitsEverybody(page, 'preview');
  await project.client.management.createProviderApp({
    body: { provider: 'hubspot', clientId: 'my-client', clientSecret: 'secret' },
  });
  await page.getByRole('link', { name: 'Provider apps' }).click();
  await fitsEverybody(page, 'provider apps');
  await page.getByRole('button', { name: /^Add an app of/ }).click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Client secret is required.').waitFor();
  await fitsEverybody(page, 'new provider app');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Keys' }).click();
  await fitsEverybody(page, 'keys');
  await page.getByRole('button', { name: 'Add an API key…' }).click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('What it is for is required.').waitFor();
  await fitsEverybody(page, 'new key');
});
