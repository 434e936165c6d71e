import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack } from '../harness/stack';
import { useConsole } from './console/open-console';
import { picture } from './console/picture';

const { withBrowser, stack, project, tab, keys, open, openAt } = useConsole({
  of: 'the console in a real browser',
  // A batch waits up to a day for its hundred, which a slow machine writes one after the other: 144 s here.
  start: () => startStack({ timeScale: 10 }),
});

const newCustomer = (more: object = {}): Promise<Customer> =>
  createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project, ...more });
let made = 0;
const person = () => ({ email: `console-${(made += 1)}@example.com`, lastname: `Console ${made}` });
const join100 = async (customer: Customer, records: readonly object[]): Promise<string> => {
  const ids = new Set<string>();
  for (const record of records) {
    const body = { type: 'create', mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1440 }, record };
    ids.add((await customer.write('contacts', body)).body.operationId);
  }
  expect(ids.size).toBe(1);
  return [...ids][0] ?? '';
};
const outcomes = (page: Page, word: string) =>
  page.locator('tbody tr', { has: page.locator('.badge', { hasText: new RegExp(`^${word}$`) }) });

describe('signing in', () => {
  withBrowser('says what is wrong with a key, and what to do', async () => {
    const page = await open();
    await tab.signIn('sk_nobody-has-this');
    await expect(page.getByRole('alert').innerText()).resolves.toMatch(/unknown, revoked or expired[^]*auth\.invalid/);
    keys.push(stack.adminKey);
    await tab.signIn(stack.adminKey);
    await page.getByText('This is the bootstrap key').waitFor();
    const writeKey = await project.createKey(['write']);
    keys.push(writeKey);
    await tab.signIn(writeKey);
    await page.getByText('This needs a key with one of the scopes').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  withBrowser('keeps the key in the tab, and forgets it at the end', async () => {
    const page = await open();
    await tab.goTo('lanes');
    await page.getByLabel('API key').fill(project.key);
    // By keyboard alone: the field has the focus, Enter signs in.
    await page.keyboard.press('Enter');
    // It is where the address leads.
    await page.getByRole('heading', { name: 'Lanes' }).waitFor();
    const kept = () => page.evaluate('[Object.keys(sessionStorage), localStorage.length, document.cookie]');
    expect(await kept()).toEqual([['sluice.session'], 0, '']);
    expect(page.url()).not.toContain(project.key);
    await page.reload();
    await page.locator('.project', { hasText: project.name }).waitFor();
    const other = await tab.context.newPage();
    await other.goto(page.url());
    await other.getByLabel('API key').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await kept()).toEqual([[], 0, '']);
  });

  withBrowser('a key that is revoked meanwhile is reported', async () => {
    const body = { label: 'console', scopes: ['frontend'] };
    const apiKey = await call<{ id: string; key: string }>(`${project.url}/api-keys`, { key: stack.adminKey, body });
    const page = await openAt('lanes', apiKey.key);
    await page.getByRole('heading', { name: 'Lanes' }).waitFor();
    await call(`${project.url}/api-keys/${apiKey.id}`, { method: 'DELETE', key: stack.adminKey });
    await page.getByText('unknown, revoked or expired').waitFor();
    await page.getByRole('button', { name: 'Sign in with another key' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The key is missing.').waitFor();
    await tab.signIn(project.key);
    await page.getByRole('heading', { name: 'Lanes' }).waitFor();
  });
});

withBrowser('an empty project shows what to do next', async () => {
  const page = await openAt('operations');
  await page.getByText('No operation yet').waitFor();
  expect(await page.locator('pre').innerText()).toContain(`/projects/${project.name}/integrations/`);
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByText('No customer yet').waitFor();
  await page.getByRole('link', { name: 'Lanes' }).click();
  await page.getByText('No lane yet').waitFor();
});

withBrowser('a batch fills, waits out a storm of 429, drains, and shows the outcome of each record', async () => {
  const customer = await newCustomer();
  const records = Array.from({ length: 36 }, person);
  // It lasts until it is cleared: a pause of 5 s would be over before a slow browser has seen it.
  await customer.account.fault({ action: { kind: 'status', status: 429, retryAfterSeconds: 5 }, times: 0 });
  const id = await join100(customer, records);
  const page = await openAt(`operations/${id}`);
  await page.getByText('Filling: 36 of 100 records.').waitFor();
  expect(await page.locator('.badge').first().innerText()).toBe('in progress');
  expect(await page.locator('.cells .pending').count()).toBe(36);
  expect(await page.locator('.cells .free').count()).toBe(64);
  await join100(customer, Array.from({ length: 12 }, person));
  await page.getByText('Filling: 48 of 100 records.').waitFor();
  await picture(page, 'console-filling');
  await join100(customer, [{ email: 'no-email-at-all' }, ...Array.from({ length: 51 }, person)]);
  await page.getByText('In progress: 0 of 100 records decided.').waitFor();
  // For what, since when, and what to do.
  const wait = page.getByRole('region', { name: 'What it waits for' });
  await wait.getByText('the end of a block').waitFor();
  expect(await wait.innerText()).toMatch(/Since\s.*(now|ago)[^]*What to do\s+Nothing: it is sent/);
  await wait.getByRole('link', { name: 'Open the customer' }).waitFor();
  await page.getByRole('link', { name: 'Lanes' }).click();
  const lane = page.locator('tbody tr', { hasText: customer.groupRef });
  await lane.getByText('blocked', { exact: true }).waitFor();
  const laneText = await lane.innerText();
  expect(laneText).toMatch(/\b110\b/);
  expect(laneText).toMatch(/asked again (in|now)/);
  expect(await lane.locator('.bad-text').innerText()).not.toBe('');
  await page.goBack();
  await customer.account.clearFaults();
  await page.getByText('1 of 100 records was not written.').waitFor();
  expect(await page.locator('.cells .succeeded').count()).toBe(99);
  expect(await outcomes(page, 'written').count()).toBe(99);
  const [failed] = await outcomes(page, 'failed').allInnerTexts();
  const answer = (await customer.recordsOf(id)).find(({ status }) => status === 'failed');
  expect(failed).toContain(String(answer?.index));
  for (const { field = '', message } of answer?.problems ?? []) expect(failed).toContain(`${field} ${message}`);
  expect(answer?.error?.message).toContain('INVALID_EMAIL');
  await page.getByText('answered call 1 with status 429').first().waitFor();
  await picture(page, 'console-ended');
});

// Six digits in a row are misread: figures from the account's replies are shown with separators of thousands.
withBrowser('a lane shows its quota with thousands separated', async () => {
  const customer = await newCustomer();
  await customer.write('contacts', { type: 'create', record: person() });
  const page = await openAt('lanes');
  const lane = page.locator('tbody tr', { hasText: customer.groupRef });
  await lane.getByText(/\d{2},\d{3} of 100,000/).waitFor();
});

withBrowser('cancels after asking, and retries what was cancelled', async () => {
  const customer = await newCustomer();
  const id = await join100(customer, [person(), person(), person()]);
  const page = await openAt(`operations/${id}`);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await customer.operation(id)).status).toBe('in_progress');
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await page.getByText('3 of 3 records were not written.').waitFor();
  const wrong = page.getByRole('region', { name: 'What went wrong' });
  expect(await wrong.innerText()).toMatch(/^3 records cancelled/);
  expect(await page.locator('td .class').allInnerTexts()).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await customer.account.records('contacts')).toEqual([]);

  await page.getByRole('button', { name: 'Retry…' }).click();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText('3 of 3 records were written.').waitFor();
  expect(page.url()).not.toContain(id);
  expect(await customer.account.records('contacts')).toHaveLength(3);
  await page.goBack();
  await page.getByText('Retried as').first().waitFor();
  expect(await page.getByRole('button', { name: 'Retry…' }).count()).toBe(0);
});

// What a provider, a customer or a caller wrote is text, wherever it stands.
withBrowser('nothing that others wrote becomes part of the page', async () => {
  const hostile = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script>{{7*7}}`;
  const customer = await newCustomer();
  const body = { status: 'error', category: 'VALIDATION_ERROR', message: hostile, errors: [{ message: hostile }] };
  await customer.account.fault({ action: { kind: 'status', status: 400, body } });
  const sent = { type: 'create', mode: 'asynchronous', record: { [hostile]: hostile, ...person() } };
  const { operationId: id } = (await customer.write('contacts', sent, { 'sluice-record-ref': encodeURI(hostile) }))
    .body;
  await customer.ended(id);
  const page = await openAt(`operations/${id}`);
  await page.getByText('1 of 1 record was not written.').waitFor();
  expect(await page.locator('td.answer').innerText()).toContain(hostile);
  for (const [path, heading] of [
    ['operations', 'Operations'],
    ['lanes', 'Lanes'],
    ['customers', 'Customers'],
    [`operations?groupRef=${encodeURIComponent(hostile)}`, 'Operations'],
  ] as const) {
    await tab.goTo(path);
    // The page that is left has rows, too.
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.locator('tbody tr, .customer-list li, .empty').first().waitFor();
    expect(await page.locator('img, #console script, iframe').count()).toBe(0);
  }
  expect(await page.locator('main').innerText()).toContain(`Customer ${hostile}`);
  await tab.goTo(`operations/${encodeURIComponent(hostile)}`);
  await page.getByRole('alert').waitFor();
  expect(await page.evaluate(`'hit' in window`)).toBe(false);
});

withBrowser('follows the light or the dark of the system', async () => {
  const groundOf = async (colorScheme: 'light' | 'dark') => {
    const page = await open({ colorScheme });
    const fixture = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    return fixture;
  };
  expect(await groundOf('light')).not.toBe(await groundOf('dark'));
});

withBrowser('no key is in a log', () => {
  const logs = readdirSync(stack.logDir).map((name) => readFileSync(join(stack.logDir, name), 'utf8'));
  expect(logs.join('').length).toBeGreaterThan(0);
  for (const log of logs) expect(keys.filter((key) => log.includes(key))).toEqual([]);
});
