import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { findChromium, openChromium } from '../harness/chromium';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';
import { createProject, type Project } from '../harness/project';

const program = findChromium('the API reference in a real browser');
const withBrowser = program === undefined ? it.skip : it;
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let stack: OwnStack;
let browser: Browser;
let project: Project;
let customer: Customer;
let origin: string;
let page: Page;
let complaints: string[];
let requests: string[];

beforeAll(async () => {
  if (program === undefined) return;
  browser = await openChromium(program);
  stack = await startStack();
  origin = new URL(stack.baseUrl).origin;
  project = await createProject(stack);
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'], project });
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

afterEach(async () => {
  if (page === undefined) return;
  expectQuiet();
  await page.context().close();
});

/** Whatever a test is about: no script failed, the page's policy held nothing back, and nobody but our three APIs was asked. */
function expectQuiet(): void {
  expect(complaints).toEqual([]);
  const ours = [origin, stack.url('search'), stack.url('write-gateway')];
  expect(requests.filter((url) => !ours.includes(new URL(url).origin) && !url.startsWith('data:'))).toEqual([]);
}

const write = 'write-api/tag/writes/POST/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}';
const getProject = 'management-api/tag/projects/GET/projects/{projectIdOrName}';

interface Display {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

async function open(hash = '', { colorScheme = 'light', width = 1280 }: Display = {}): Promise<void> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(120_000);
  [complaints, requests] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(`${origin}/docs/reference${hash === '' ? '' : `#${hash}`}`);
  await page.locator('.references-rendered').getByRole('heading').first().waitFor();
}

const navigation = () => page.locator('.t-doc__sidebar');
const dialog = () => page.getByRole('dialog').last();

/** Opens the form of the operation that the address names, with the key and what its path needs. */
async function openForm(hash: string, name: string, path: Readonly<Record<string, string>>): Promise<void> {
  await open(hash);
  const section = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) }).last();
  await section.getByRole('button', { name: /Test Request/ }).click();
  await page.locator('input[id^=scalar-client].scalar-password-input').fill(project.key);
  for (const [parameter, value] of Object.entries(path)) {
    await replace(`#${parameter} [data-placeholder=Value]`, value);
  }
}

async function replace(selector: string, text: string): Promise<void> {
  await page.locator(selector).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** Sends what the form holds. @returns the reply as the browser got it */
async function send(to: string): Promise<{ readonly status: number; readonly text: string }> {
  const reply = page.waitForResponse((response) => response.url().startsWith(to) && response.status() !== 204);
  await dialog().getByRole('button', { name: /^Send/ }).first().click();
  const response = await reply;
  return { status: response.status(), text: await response.text() };
}

withBrowser('lists the operations of all three APIs, and opens each group', async () => {
  await open();
  await navigation().getByText('Write API', { exact: true }).waitFor();
  await navigation().getByText('Search API', { exact: true }).waitFor();
  for (const [group, operation] of [
    ['Writes', 'Write records'],
    ['Search', 'Search records'],
    ['Operations', 'Get an operation'],
  ] as const) {
    // The first group is open.
    const closed = navigation().getByRole('button', { name: `Open Group - ${group}` });
    if ((await closed.count()) > 0) await closed.click();
    await navigation().getByText(operation, { exact: true }).waitFor();
  }
});

withBrowser('finds an operation by words', async () => {
  await open();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('search records');
  const found = page.getByRole('option', { name: /Search records/ }).first();
  await found.click();
  await page.locator('.references-rendered').getByRole('heading', { name: 'Search records' }).first().waitFor();
  expect(page.url()).toContain('/POST/projects/{projectIdOrName}/integrations/{integrationId}');
});

withBrowser(
  'shows our sample first, with the address of the service, and a key field that is as empty as it looks',
  async () => {
    await open(write);
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Write records', exact: true }) });
    const shown = section.last().locator('pre').filter({ hasText: 'createSluiceClient' }).first();
    await shown.waitFor();
    expect(await shown.innerText()).toContain(`writeUrl: '${stack.writeUrl}'`);
    await section
      .last()
      .getByRole('button', { name: /Test Request/ })
      .click();
    const key = page.locator('input[id^=scalar-client].scalar-password-input');
    await key.waitFor();
    const color = await page.evaluate(
      "getComputedStyle(document.querySelector('input[id^=scalar-client].scalar-password-input'), '::placeholder').color",
    );
    expect([await key.inputValue(), color]).toEqual(['', 'rgba(0, 0, 0, 0)']);
  },
);

withBrowser('sends a request to management', async () => {
  await openForm(getProject, 'Get a project', { projectIdOrName: project.name });
  const { status, text } = await send(`${stack.baseUrl}/projects/`);
  expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ name: project.name })]);
  await dialog().getByText('200').first().waitFor();
});

withBrowser('sends a write to the write API, which has another origin, and keeps no key', async () => {
  const { integrationId, groupRef } = customer;
  await openForm(write, 'Write records', { projectIdOrName: project.name, integrationId });
  const body = { groupRef, type: 'create', record: { email: 'reference@example.com', lastname: 'Reference' } };
  await replace('.cm-content', JSON.stringify(body));
  // On at first, so that who only looks around writes nothing.
  const rehearsal = await send(stack.writeUrl);
  expect([rehearsal.status, JSON.parse(rehearsal.text)]).toEqual([200, { plan: expect.any(Array) }]);
  await page.getByLabel('Include dryRun in request').uncheck();
  const { status, text } = await send(stack.writeUrl);
  expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ operationId: expect.any(String) })]);
  const kept = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie');
  expect(kept).not.toContain(project.key);
});

/** Rules of axe that Scalar 1.72.1 breaks in its own markup, which no setting of ours reaches: docs/adr/0034. */
const ofTheLibrary = [
  'aria-input-field-name',
  'aria-prohibited-attr',
  'aria-required-attr',
  'button-name',
  'label-content-name-mismatch',
  'scrollable-region-focusable',
];

interface Audit {
  readonly violations: readonly { readonly id: string; readonly impact: string; readonly nodes: readonly object[] }[];
}

/** Nothing serious that is ours, and nothing beside the screen. */
async function expectReadable(): Promise<void> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<Audit>('axe.run(document, { resultTypes: ["violations"] })');
  const ours = violations.filter(
    ({ id, impact }) => ['serious', 'critical'].includes(impact) && !ofTheLibrary.includes(id),
  );
  expect(ours.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes[0])}`)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}

// Each colour and each width once: the page is large, and an audit of it takes most of a minute.
withBrowser.each([
  ['light', 1280],
  ['dark', 390],
] as const)('%s, %i px wide, is read without a mouse and without scrolling aside', async (colorScheme, width) => {
  await open(write, { colorScheme, width });
  const test = page.getByRole('button', { name: /Test Request/ }).first();
  await test.waitFor();
  await expectReadable();
  await test.click();
  await dialog().getByRole('button', { name: /^Send/ }).first().waitFor();
  await expectReadable();
});
