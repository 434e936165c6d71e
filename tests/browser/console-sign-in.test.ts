import type { Browser } from 'playwright-core';
import { signInSettings, startOpenIdProvider } from '@sluice/testkit';
import { findChromium, openChromium } from '../harness/chromium';
import { createProject, type Project } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';
import { openConsole, type ConsoleTab } from './console/open-console';
import { violationsOf } from './console/violations';

const program = findChromium('signing in to the console with OpenID Connect');
const withBrowser = program === undefined ? it.skip : it;

let provider: Awaited<ReturnType<typeof startOpenIdProvider>>;
let stack: OwnStack;
let browser: Browser;
let project: Project;
let tab: ConsoleTab;
beforeAll(async () => {
  if (program === undefined) return;
  provider = await startOpenIdProvider('http://127.0.0.1/console/signed-in');
  const env = signInSettings(provider.issuer);
  [browser, stack] = await Promise.all([openChromium(program), startStack({ only: ['management'], env })]);
  project = await createProject(stack);
  await createProject(stack);
});
afterEach(async () => {
  expectQuiet();
  await tab?.context.close();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  provider?.stop();
});

/** Nothing broke in the page, and its policy held nothing back. */
function expectQuiet(): void {
  expect(tab?.complaints ?? []).toEqual([]);
}

/** Types a name at the provider, and agrees. */
async function signInAs(name: string): Promise<ConsoleTab['page']> {
  tab = await openConsole(browser, new URL(stack.baseUrl).origin);
  const { page } = tab;
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return page;
}

withBrowser('a person chooses a project, reads it, goes on to another, and signs out', async () => {
  const page = await signInAs('vera-viewer');
  await page.getByText('You are signed in as vera-viewer@example.com (viewer).').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole('button', { name: project.name }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('vera-viewer@example.com (viewer)').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  // The session is the browser's: a new tab asks for no name.
  const second = await tab.context.newPage();
  await second.goto(page.url());
  await second.getByRole('button', { name: project.name }).waitFor();
  await page.getByRole('button', { name: 'Other project' }).click();
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in with your account' }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await second.reload();
  await second.getByRole('link', { name: 'Sign in with your account' }).waitFor();
});

withBrowser('who has no role is told what to ask for', async () => {
  const page = await signInAs('nora-nobody');
  const said = await page.getByRole('alert').innerText();
  expect(said).toMatch(/have no role here[^]*SLUICE_OIDC_VIEWERS/);
  expect(await page.getByLabel('API key').count()).toBe(1);
});
