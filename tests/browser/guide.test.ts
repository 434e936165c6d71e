import type { Browser, Page } from 'playwright-core';
import { findChromium, openChromium } from '../harness/chromium';
import { sharedStack } from '../harness/shared-stack';
import { violationsOf } from './console/violations';

const program = findChromium('the guide in a real browser');
const withBrowser = program === undefined ? it.skip : it;
const origin = new URL(sharedStack().baseUrl).origin;

let browser: Browser;
let page: Page;
let complaints: string[];
let requests: string[];

beforeAll(async () => {
  if (program !== undefined) browser = await openChromium(program);
});
afterAll(() => browser?.close());

beforeEach(async () => {
  if (program === undefined) return;
  const context = await browser.newContext({ viewport: { width: 1240, height: 820 }, colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  page = await context.newPage();
  page.setDefaultTimeout(120_000);
  [complaints, requests] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
});

afterEach(async () => {
  if (program === undefined) return;
  await page.context().close();
  expectQuiet();
});

/** Whatever a test is about: no script failed, the page's policy held nothing back, and no other host was asked. */
function expectQuiet(): void {
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:'))).toEqual([]);
}

const title = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

withBrowser('is reached from the address of the service, and leads on from page to page', async () => {
  await page.goto(origin);
  await title('The guide');
  const start = page.getByRole('navigation', { name: 'What is served here' });
  const links = await start.getByRole('link').all();
  const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
  expect(hrefs).toEqual(['/console', '/docs/guide/quickstart', '/docs/reference']);
  await start.getByRole('link', { name: 'Quickstart' }).click();
  await title('Quickstart');
  await page.getByRole('link', { name: /^Next page/ }).click();
  await title('Connecting customers');
  expect(page.url()).toBe(`${origin}/docs/guide/connecting`);
  await page.reload();
  await title('Connecting customers');
});

withBrowser('finds a page by words, with the keyboard alone', async () => {
  await page.goto(`${origin}/docs/guide`);
  await page.getByRole('button', { name: 'Search' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox').waitFor();
  await page.keyboard.type('delete not enabled');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/guide\/\w/);
});

withBrowser('copies a command as it is shown, without the marks of its colours', async () => {
  await page.goto(`${origin}/docs/guide/writing`);
  const block = page.locator('.language-sh').first();
  await block.hover();
  await block.getByRole('button', { name: 'Copy Code' }).click();
  await block.locator('button.copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('code').textContent());
});

/** axe finds nothing and nothing is wider than the window. */
async function expectReadable(width: number): Promise<void> {
  const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect({ width, violations: await violationsOf(page), beyond }).toEqual({ width, violations: [], beyond: 0 });
}

withBrowser.each([
  ['', 'light'],
  ['', 'dark'],
  ['/writing', 'light'],
  ['/writing', 'dark'],
] as const)('/docs/guide%s is for everybody, %s, on a desktop and a phone', async (path, colorScheme) => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  for (const width of [1240, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${origin}/docs/guide${path}`, { waitUntil: 'networkidle' });
    await expectReadable(width);
  }
});
