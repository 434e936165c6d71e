import { readFileSync } from 'node:fs';
import { planStep, timelineOf } from '@sluice/types';
import { until } from '@sluice/testkit';
import type { Page } from 'playwright-core';
import { createCustomer, type Customer } from '../harness/customer';
import { openConnectPage } from '../harness/connect-page';
import { sharedStack } from '../harness/shared-stack';
import { useConsole } from './console/open-console';
import { fitsEverybody, violationsOf } from './console/violations';

const { withBrowser, stack, project, tab, open, openAt } = useConsole({
  of: 'what the console says of operations, in a real browser',
  start: () => sharedStack(),
});

const newCustomer = (more: object = {}): Promise<Customer> =>
  createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project, ...more });
let made = 0;
const person = () => ({ email: `op-${(made += 1)}-${Date.now()}@example.com`, lastname: `Person ${made}` });
const create = async (customer: Customer, record: object = person(), headers = {}): Promise<string> =>
  (await customer.write('contacts', { type: 'create', mode: 'asynchronous', record }, headers)).body.operationId;
const createBatch = async (customer: Customer, records: readonly object[]): Promise<string> => {
  const batch = records.map((record) => ({ record }));
  return (await customer.write('contacts', { type: 'create', mode: 'asynchronous', batch })).body.operationId;
};
const autoBatch = async (customer: Customer, maxDelayMinutes: number): Promise<string> =>
  (
    await customer.write('contacts', {
      type: 'create',
      mode: 'asynchronous',
      record: person(),
      autoBatchPolicy: { maxDelayMinutes },
    })
  ).body.operationId;
const rowOf = (page: Page, id: string) => page.locator('tbody tr', { has: page.locator(`a[title="${id}"]`) });

// A write that waits for a person must not look as if it went by itself.
withBrowser('a write that is held for credentials says so, and leads to new ones', async () => {
  const customer = await newCustomer();
  await customer.account.revoke();
  const id = await create(customer);
  const page = await openAt(`operations/${id}`);
  await page.getByText('Nothing is sent: the provider refuses the credentials of the connection.').waitFor();
  const held = page.getByRole('region', { name: 'Held for credentials' });
  expect(await held.innerText()).toMatch(new RegExp(`${customer.groupRef}\\s+hubspot has refused its credentials for`));
  // What HubSpot said of the revoked token, which had not expired.
  await page.getByText('Authentication credentials not found').waitFor();
  await tab.goTo('lanes');
  const lane = page.locator('tbody tr', { hasText: customer.groupRef });
  await lane.getByText('held for credentials', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Needs attention' }).getByText(customer.groupRef).first().waitFor();
  await tab.goTo('operations');
  await rowOf(page, id).getByText('Waits for new credentials: hubspot has refused them for').waitFor();
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const button = attention.getByRole('button', { name: 'Make a link' });
  await button.click();
  await attention.getByText('No link was made').waitFor();
  const { clientId, clientSecret } = customer.account;
  await project.client.management.createProviderApp({ body: { provider: 'hubspot', clientId, clientSecret } });
  await button.click();
  const url = await attention.getByLabel('For the customer, once').inputValue();
  // The customer allows the app in again; what waited is written.
  expect((await (await openConnectPage(stack, { url })).connect(customer.account)).status).toBe(303);
  await attention.waitFor({ state: 'detached' });
  await customer.ended(id);
  await rowOf(page, id).locator('.badge.good').waitFor();
});

withBrowser('retries what a page shows, as far as it can help, and says of how many', async () => {
  const customer = await newCustomer();
  const [first, second] = [await autoBatch(customer, 1_440), await create(customer, { email: 'none at all' })];
  await project.client.management.cancelOperation({ operationId: first });
  await Promise.all([customer.ended(first), customer.ended(second)]);
  const page = await openAt('operations?hasFailures=true');
  await rowOf(page, second).waitFor();
  await page.getByRole('button', { name: 'Retry these…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Retry 1 operation?').waitFor();
  await dialog.getByText('1 failed record of 1 operation of this page').waitFor();
  await dialog.getByText('1 other left out').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry 1' }).click();
  await page.getByText('1 operation retried:').waitFor();
  expect((await customer.recordsOf(first))[0]).toHaveProperty('replayedBy');
  expect((await customer.recordsOf(second))[0]).not.toHaveProperty('replayedBy');
  await page.getByRole('button', { name: 'Retry these…' }).click();
  await page.getByText('None can: the same values would be refused again, or were retried.').waitFor();
});

// Who retries must know that nothing is sent, and who reads an old operation what became of it.
withBrowser(
  'a retry says that it waits for credentials, and each of the two operations leads to the other',
  async () => {
    const customer = await newCustomer();
    await customer.account.revoke();
    const id = await create(customer);
    const page = await openAt(`operations/${id}`);
    const held = page.getByRole('region', { name: 'Held for credentials' });
    await held.getByText(/wait for new ones: the first expire (?:in \d+ \w+|tomorrow)\./).waitFor();
    await held.getByRole('link', { name: customer.groupRef }).click();
    await page.getByText(/has new ones: the first expire (?:in \d+ \w+|tomorrow)\./).waitFor();
    await project.client.management.cancelOperation({ operationId: id });
    await customer.ended(id);
    await tab.goTo(`operations/${id}`);
    await page.getByText('The customer must connect again, or give new credentials. Then retry.').waitFor();
    await page.getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/The retry waits for new ones until .*20\d\d/).waitFor();
    const reconnect = dialog.getByRole('link', { name: 'Reconnect first' });
    expect(await reconnect.getAttribute('href')).toBe(`#/customers/${customer.installationId}`);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Retry all the same' }).click();
    const facts = page.locator('.operation-facts', { hasText: 'retry of' });
    await facts.getByRole('link', { name: id.slice(-8) }).waitFor();
    const again = page.url().split('/').at(-1) ?? '';
    await page.locator('.log').getByRole('link', { name: id }).click();
    const retried = page.locator('.result', { hasText: 'Retried as' });
    await retried.getByRole('link', { name: again.slice(-8) }).waitFor();
    await page.getByRole('region', { name: 'What went wrong' }).getByText('They were retried.').waitFor();
    await page.locator('.log').getByRole('link', { name: again }).waitFor();
    expect(await page.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
  },
);

withBrowser('an outage of a provider is shown, and its end', async () => {
  const customer = await newCustomer();
  await customer.account.fault({ action: { kind: 'status', status: 503 }, times: 0 });
  const id = await create(customer);
  const page = await openAt('operations');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('hubspot is failing.').waitFor();
  expect(await attention.innerText()).toMatch(
    /failed for 1 of 1 account with waiting writes \(unavailable, status 503/,
  );
  await tab.goTo('lanes');
  await page.locator('tbody').getByText('provider failing', { exact: true }).waitFor();
  await tab.goTo(`operations/${id}`);
  await page.getByText(/The provider is failing \(503\)\./).waitFor();
  await customer.account.clearFaults();
  await page.getByText('1 of 1 record was written.').waitFor();
  await tab.goTo('operations');
  await rowOf(page, id).locator('.badge.good').waitFor();
  await attention.waitFor({ state: 'detached' });
});

withBrowser('a success with a refused record is amber, has failures, and shows the refused record first', async () => {
  const customer = await newCustomer();
  const failed = await create(customer, { email: 'none at all' });
  const well = await create(customer);
  const partly = await createBatch(customer, [person(), { email: 'no-email-at-all' }, person()]);
  await Promise.all([customer.ended(failed), customer.ended(well), customer.ended(partly)]);
  const page = await openAt('operations');
  await rowOf(page, partly).locator('.badge.unsure', { hasText: 'partly written' }).waitFor();
  await rowOf(page, well).getByText(customer.groupRef).waitFor();
  // The cause, not the counts, has the room; and no width cuts the moment.
  await rowOf(page, partly).getByText('Email address no-email-at-all is invalid · 1 of 3 not written').waitFor();
  await rowOf(page, failed)
    .getByText(/^Email address none at all is invalid/)
    .waitFor();
  const moment = rowOf(page, partly).locator('.on-aside');
  await moment.locator('time').evaluate((time) => void (time.textContent = '59 minutes ago'));
  expect(await moment.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  await page.getByLabel('Order').selectOption('failures first');
  await page.locator(`tbody tr:first-child a[title="${failed}"]`).waitFor();
  expect(page.url()).toMatch(/#\/operations\?order=failures-first$/);
  await page.getByRole('link', { name: 'has failures 2' }).click();
  await rowOf(page, well).waitFor({ state: 'detached' });
  expect(page.url()).toMatch(/#\/operations\?hasFailures=true$/);
  // Anywhere in the row, which its link covers.
  await rowOf(page, partly).getByText('contacts', { exact: true }).click({ force: true });
  await page.getByText('1 of 3 records was not written.').waitFor();
  const shown = (of: string) => page.locator(`tbody ${of}`).allInnerTexts();
  expect(await shown('.number')).toEqual(['1', '0', '2']);
  // That a row can be opened is seen before it is tried.
  expect(await shown('.whole-row')).toEqual(['Why', 'Explain', 'Explain']);

  await page.locator('tbody tr', { hasText: 'INVALID_EMAIL' }).locator('.badge').click({ force: true });
  expect(await page.getByRole('button', { name: 'Explain record 1' }).getAttribute('aria-expanded')).toBe('true');
  const explanation = await project.client.management.explainOperation({ operationId: partly });
  const [, record] = explanation.records;
  if (record === undefined) throw new Error('there is no record 1');
  await page.locator('.timeline').waitFor();
  // As `sluice op explain` prints them.
  expect(await page.locator('.timeline li').allInnerTexts()).toEqual(
    [planStep([record], explanation), ...timelineOf(record, explanation)].map(([step, text]) => `${step}\n${text}`),
  );
  expect(await violationsOf(page)).toEqual([]);
});

withBrowser('groups what went wrong, names the records, and says why a retry cannot help', async () => {
  const customer = await newCustomer();
  const bad = Array.from({ length: 5 }, (_, at) => ({ email: `bad ${at}` }));
  const id = await createBatch(customer, [person(), ...bad, { ...person(), nosuch_property: 1 }]);
  await customer.ended(id);
  const page = await openAt(`operations/${id}`);
  await page.getByText('6 of 7 records were not written.').waitFor();
  const wrong = page.getByRole('region', { name: 'What went wrong' });
  const groups = wrong.locator('.group');
  expect(await groups.count()).toBe(2);
  const ofEmail = groups.first();
  expect(await ofEmail.innerText()).toMatch(
    /^5 records rejected email: Email address bad 0 is invalid INVALID_EMAIL\n/,
  );
  // Its caller gave them no reference, and the provider no id.
  const names = [1, 2, 3].map((index) => `email bad ${index - 1} (record ${index})`);
  expect(await ofEmail.locator('li').allInnerTexts()).toEqual([...names, 'Show all 5']);
  await ofEmail.getByRole('button', { name: 'Show all 5' }).click();
  expect(await ofEmail.locator('li').count()).toBe(6);
  await ofEmail.getByText('A retry would send the same values.').waitFor();
  const rows = page.locator('.records tbody tr');
  expect(await rows.count()).toBe(7);
  await page.getByLabel('Which records').selectOption('email: INVALID_EMAIL');
  await rows.nth(5).waitFor({ state: 'detached' });
  expect(await rows.first().locator('.on-name').innerText()).toBe('bad 0\nemail');
  // What is chosen and explained is in the address: a link shows the same.
  await page.getByRole('button', { name: 'explain record 2' }).click();
  await page.locator('.timeline').waitFor();
  await page.reload();
  await page.locator('.timeline').waitFor();
  expect(await page.getByLabel('Which records').inputValue()).toBe('email: INVALID_EMAIL');
  expect(await rows.locator('.on-name').count()).toBe(5);
  await page.getByLabel('Which records').selectOption('Not written');
  await rows.nth(5).waitFor();
  expect(await groups.nth(1).innerText()).toMatch(/^1 record rejected nosuch_property: /);
  expect(await page.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
  expect(await page.title()).toMatch(/^contacts create .* · Sluice$/);
  expect(await violationsOf(page)).toEqual([]);
});

// What went well takes no room that what did not needs.
withBrowser('of what is all written, the log is folded, and a card on a phone is short', async () => {
  const customer = await newCustomer();
  const id = await createBatch(customer, Array.from({ length: 20 }, person));
  await customer.ended(id);
  const page = await openAt(`operations/${id}`);
  await page.getByText('20 of 20 records were written.').waitFor();
  const folded = page.locator('.log-fold');
  expect(await folded.getAttribute('open')).toBeNull();
  await folded.locator('summary').click();
  await folded.getByText('The operation succeeded: 20 written, 0 not.').waitFor();
  await folded.locator('summary').click();
  const facts = page.locator('.operation-facts');
  await facts.getByRole('link', { name: customer.groupRef }).waitFor();
  expect(await facts.getByRole('link').nth(1).innerText()).not.toBe('a deleted integration');
  await page.setViewportSize({ width: 390, height: 844 });
  const card = await page.locator('.records').boundingBox();
  expect(card?.height).toBeLessThan(2_000);
  await page.setViewportSize({ width: 1280, height: 860 });
});

withBrowser('saves the failed records as CSV', async () => {
  const customer = await newCustomer();
  const id = await createBatch(customer, [{ email: '=1+1' }, person()]);
  await customer.ended(id);
  const page = await openAt(`operations/${id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Failed records (CSV)' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines).toEqual([
    'record,id,ref,code,text,fields,identified by',
    expect.stringMatching(/^0,,,rejected,".*INVALID_EMAIL.*",email,'=1\+1$/),
  ]);
});

describe('searching', () => {
  // What a reader has is a name, an email or an id; which it is, the service finds out.
  withBrowser('one box takes a customer, the ref or id of a record, and an operation', async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    const name = `Ärzte & Söhne ${one.groupRef}`;
    await project.client.management.createGroup({ body: { groupRef: one.groupRef, groupName: name } });
    const { email } = person();
    const id = await create(one, { email }, { 'sluice-record-ref': email });
    const later = await create(one);
    const theirs = await create(other);
    await Promise.all([one.ended(id), one.ended(later), other.ended(theirs)]);
    const page = await openAt('operations');
    const search = page.getByLabel('Search operations');
    const find = async (text: string, found: readonly string[]) => {
      await search.fill(text);
      await page.keyboard.press('Enter');
      for (const each of [id, later, theirs])
        await rowOf(page, each).waitFor({ state: found.includes(each) ? 'visible' : 'detached' });
    };
    await rowOf(page, theirs).waitFor();
    await find('ärzte', [id, later]);
    await page.getByText('Operations of').getByText(name).waitFor();
    await find(email, [id]);
    await page.getByText(`Operations with the record ref “${email}”`).waitFor();
    const [record] = await one.recordsOf(later);
    await find(record?.recordId ?? '', [later]);
    await page.getByText('of the provider').waitFor();
    await find(theirs, [theirs]);
    expect(page.url()).toMatch(new RegExp(`#/operations\\?search=${theirs}$`));
    await page.getByRole('link', { name: 'Clear' }).click();
    await rowOf(page, id).waitFor();
    expect(await search.inputValue()).toBe('');
    expect(await violationsOf(page)).toEqual([]);
  });

  // One of forty records is not looked for twice, and the list is not searched again.
  withBrowser(
    'an operation that was found by a record is opened at it, and the way back keeps the search',
    async () => {
      const customer = await newCustomer();
      const id = await createBatch(customer, Array.from({ length: 40 }, person));
      await customer.ended(id);
      const recordId = (await customer.recordsOf(id))[20]?.recordId ?? '';
      const page = await openAt(`operations?search=${recordId}`);
      await rowOf(page, id).locator('a').click();
      const rows = page.locator('.records tbody tr');
      await rows.getByText(recordId).waitFor();
      expect(await rows.count()).toBe(1);
      expect(await page.getByLabel('Which records').inputValue()).toBe(recordId);
      await until('the row is on screen', async () => {
        const box = await rows.boundingBox();
        return box !== null && box.y > 0 && box.y + box.height < 820 ? true : undefined;
      });
      await page.getByLabel('Which records').selectOption('All 40 records');
      await rows.nth(39).waitFor();
      await page.getByRole('link', { name: '← Operations' }).click();
      await rowOf(page, id).waitFor();
      expect(page.url()).toMatch(new RegExp(`#/operations\\?search=${recordId}$`));
      // The day stands where it is not this one.
      await page.clock.setFixedTime(Date.now() + 86_400_000);
      await tab.goTo(`operations/${id}`);
      await page.locator('.log-fold summary').click();
      await page
        .locator('.log time', { hasText: /^\s*20\d\d-\d\d-\d\d \d\d:\d\d:/ })
        .first()
        .waitFor();
    },
  );

  // The field, the rule, the value and what to do, where the reader types.
  withBrowser('what is refused is said beside its field, by the page or by the service', async () => {
    const page = await openAt('operations?since=2026-02-01T12:00:00.000Z');
    await page.getByLabel('Accepted before').fill('2026-01-01T12:00');
    await page.keyboard.press('Enter');
    const issue = page.locator('.issue[data-field="until"]');
    await issue.waitFor();
    expect(await issue.innerText()).toBe(
      'Accepted before must be later than its beginning, not 2026-01-01T12:00. Change one of the two.',
    );
    expect(await page.getByLabel('Accepted before').getAttribute('aria-invalid')).toBe('true');
    expect(await violationsOf(page)).toEqual([]);
    await tab.goTo(`operations?installationId=${'x'.repeat(8)}&recordRef=a&since=2026-01-01T12:00:00.000Z`);
    await page.locator('.issue[data-field="since"]').waitFor();
    expect(await page.locator('.issue[data-field="since"]').innerText()).toMatch(
      /^Accepted since must be at most 31 days before now, not 2026-01-01T12:00:00\.000Z\./,
    );
    await tab.goTo('operations?recordRef=a');
    const refusal = page.getByRole('alert').filter({ hasText: 'The operations could not be read' });
    await refusal.waitFor();
    // What has no field here is listed, in place of the sentence that sends a reader of the reply to `issues`.
    expect(await refusal.getByRole('listitem').allInnerTexts()).toEqual([
      'installationId is required with a record: one installation is searched.',
      'since is required with a record: up to 31 days are searched.',
    ]);
    expect(await refusal.innerText()).not.toContain('issues');
  });
});

withBrowser('a lost network is shown, keeps what was shown, and heals by itself', async () => {
  const customer = await newCustomer();
  const id = await create(customer);
  await customer.ended(id);
  const page = await openAt('operations');
  await rowOf(page, id).waitFor();
  await tab.context.setOffline(true);
  await page.getByText('No answer from the management service.').waitFor();
  expect(await rowOf(page, id).count()).toBe(1);
  const next = await create(customer);
  await tab.context.setOffline(false);
  await rowOf(page, next).waitFor();
  await page.getByText('No answer from the management service.').waitFor({ state: 'detached' });
  // A page that was asked for meanwhile, too, also where one answer would be enough.
  await customer.ended(next);
  await tab.context.setOffline(true);
  await tab.goTo(`operations/${next}`);
  await page.getByText('No answer from the management service.').waitFor();
  await tab.context.setOffline(false);
  await page.getByText('1 of 1 record was written.').waitFor();
});

// In both colours and widths.
withBrowser('every page can be used by everybody', async () => {
  const [well, ill] = [await newCustomer(), await newCustomer()];
  const id = await createBatch(well, [person(), { email: 'no-email-at-all' }]);
  await ill.account.revoke();
  const heldId = await create(ill);
  await well.ended(id);
  await until('the write is held', async () =>
    (await ill.connection()).status === 'bad_credentials' ? true : undefined,
  );
  const page = await open();
  const check = async (path: string, shown: string) => {
    if (path !== '') await tab.goTo(path);
    await page.getByText(shown).first().waitFor();
    await fitsEverybody(page, `${path}: ${shown}`);
  };
  await check('', 'API key of the project');
  await tab.signIn(project.key);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await check('operations', 'partly written');
  await check(`operations?search=${well.groupRef}`, 'Operations of');
  await check(`operations/${id}`, 'INVALID_EMAIL');
  await page.getByRole('button', { name: 'Explain record 1' }).click();
  await check('', 'not written (rejected)');
  await check(`operations/${heldId}`, 'Nothing is sent');
  await check('lanes', 'held for credentials');
  await check('nowhere', 'There is no such page');
});
