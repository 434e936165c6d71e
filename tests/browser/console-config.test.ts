import type { Page } from 'playwright-core';
import { createAccount, type Account } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { sharedStack } from '../harness/shared-stack';
import { useConsole } from './console/open-console';
import { picture } from './console/picture';
import { fitsEverybody } from './console/violations';

const { withBrowser, stack, project, tab, openAt } = useConsole({
  of: 'the form of a config in a real browser',
  start: () => sharedStack(),
});

const contacts = {
  objectName: 'contacts',
  mapToName: 'person',
  requiredFields: [{ mapToName: 'position', mapToDisplayName: 'Position' }],
};
const newCustomer = (account?: Account): Promise<Customer> =>
  createCustomer(stack, {
    provider: 'hubspot',
    ...(account && { account }),
    read: [contacts],
    write: [{ objectName: 'contacts', inheritMapping: true }],
    config: {
      read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { position: 'city' } } } },
    },
    project,
  });
const objectOf = async (customer: Customer, half: 'read' | 'write'): Promise<unknown> =>
  (await customer.installation()).config.content[half]?.objects?.['contacts'];
const choose = async (page: Page, field: string): Promise<void> => {
  await page.getByLabel('Position').fill(field);
  await page.getByLabel('Position').blur();
};
const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save' }).click();

withBrowser(
  'maps a name to a field of the account and sets a default; what the account lacks is refused there',
  async () => {
    const customer = await newCustomer();
    const page = await openAt(`customers/${customer.installationId}/config`);
    // With its label and type; what is read only is not offered for what is written.
    const offered = page.locator('datalist[id$=-writable]');
    await offered.locator('option[value=jobtitle][label*=string]').waitFor({ state: 'attached' });
    expect(await offered.locator('option[value=createdate]').count()).toBe(0);

    const issue = page.locator('.config-row .issue');
    await choose(page, 'nonsense');
    await issue.getByText('Position cannot be nonsense: it is not a field of contacts at this account.').waitFor();
    await choose(page, 'createdate');
    await issue.getByText('is read only at the provider').waitFor();
    await save(page);
    await page.getByText('Nothing was sent: see the field.').waitFor();
    await fitsEverybody(page, 'refused field');
    // What is typed stays, whatever changes meanwhile.
    await page.getByLabel('Position').fill('jobtitle');
    const deletes = page.getByLabel('Records may be deleted');
    for (const isOn of [true, false]) {
      await deletes.dispatchEvent('click');
      expect(await deletes.isChecked()).toBe(isOn);
    }
    expect(await page.getByLabel('Position').inputValue()).toBe('jobtitle');
    await page.getByLabel('Position').blur();
    await issue.waitFor({ state: 'detached' });

    await page.getByLabel('Field to add').fill('phone');
    await page.getByRole('button', { name: 'Add' }).click();
    const row = page.getByRole('group', { name: 'phone' });
    await row.getByLabel('Default').fill('+1');
    await row.getByLabel('Default').blur();
    await row.getByLabel('On update').selectOption('never');
    await page.locator('.config-changes').getByText('changed from city to jobtitle').waitFor();
    await picture(page, 'console-config-form');
    await save(page);
    await page.getByText('Saved.').waitFor();
    expect(await objectOf(customer, 'read')).toMatchObject({ selectedFieldMappings: { position: 'jobtitle' } });
    expect(await objectOf(customer, 'write')).toMatchObject({
      selectedFieldSettings: { phone: { default: { stringValue: '+1' }, writeOnUpdate: 'never' } },
    });
  },
);

// An account may have thousands: a list of them all is slow to open, and nobody finds a field in it.
withBrowser('of 1,200 fields a list offers 100, found by name and by label', async () => {
  const account = await createAccount(stack, 'hubspot');
  const results = Array.from({ length: 1_200 }, (_, at) => ({
    name: at === 0 ? 'city' : `custom_${String(at).padStart(4, '0')}`,
    label: `Label ${at}`,
    type: 'string',
    fieldType: 'text',
  }));
  const match = { method: 'GET', path: '/crm/v3/properties/' };
  await account.fault({ match, times: 0, action: { kind: 'status', status: 200, body: { results } } });
  const customer = await newCustomer(account);
  const page = await openAt(`customers/${customer.installationId}/config`);
  const offered = page.locator('datalist[id$=-writable] option');
  await page.getByText('1,200 fields at this account. A list offers 100').waitFor();
  expect(await offered.count()).toBe(100);
  await fitsEverybody(page, 'many fields');
  await page.getByLabel('Position').fill('0777');
  await offered.nth(1).waitFor({ state: 'detached' });
  expect(await offered.first().getAttribute('value')).toBe('custom_0777');
  await page.getByLabel('Field to add').fill('label 1199');
  await page.locator('datalist[id$=-writable] option[value=custom_1199]').waitFor({ state: 'attached' });
  await page.getByLabel('Position').fill('custom_1198');
  await page.getByLabel('Position').blur();
  await page.locator('.config-row').getByText('Label 1198 · string').waitFor();
});

// Two people look at one config: whoever is second decided on something that is no longer there.
withBrowser('the second editor sees what another person changed, and keeps both', async () => {
  const customer = await newCustomer();
  const { integrationId, installationId } = customer;
  const page = await openAt(`customers/${installationId}/config`);
  await choose(page, 'jobtitle');
  const theirs = { objectName: 'contacts', selectedFieldSettings: { phone: { default: { stringValue: '+2' } } } };
  const installation = { config: { content: { write: { objects: { contacts: theirs } } } } };
  const body = { updateMask: ['config.content.write.objects.contacts'], installation };
  await project.client.management.updateInstallation({ integrationId, installationId, body });
  const notice = page.getByRole('alert').filter({ hasText: 'changed this config' });
  await notice.getByText('set to +2').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await fitsEverybody(page, 'second editor');
  expect(await page.getByLabel('Position').inputValue()).toBe('jobtitle');
  await notice.getByRole('button', { name: 'Put my changes on theirs' }).click();
  await save(page);
  await page.getByText('Saved.').waitFor();
  expect(await objectOf(customer, 'write')).toMatchObject(theirs);
  expect(await objectOf(customer, 'read')).toMatchObject({ selectedFieldMappings: { position: 'jobtitle' } });
});

withBrowser('as JSON, what cannot be read is refused; a lost network keeps what was typed and heals', async () => {
  const customer = await newCustomer();
  const page = await openAt(`customers/${customer.installationId}/config`);
  await page.getByRole('button', { name: 'JSON' }).click();
  const text = page.getByLabel('Config, as JSON');
  const before = await text.inputValue();
  await text.fill('{');
  await page.getByText('The text is not JSON').waitFor();
  await fitsEverybody(page, 'JSON');
  await text.fill(before.replace('city', 'jobtitle'));
  await tab.context.setOffline(true);
  await save(page);
  await page.getByText('The config was not saved').waitFor();
  await tab.context.setOffline(false);
  await save(page);
  await page.getByText('Saved.').waitFor();
  expect(await objectOf(customer, 'read')).toMatchObject({ selectedFieldMappings: { position: 'jobtitle' } });
});
