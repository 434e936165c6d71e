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

// Nothing happens in this project that would be sent to it.
const receiver = 'https://localhost:1/';

withBrowser('a viewer reads what others change, and is offered nothing that changes it', async () => {
  const { id } = await project.client.management.createWebhookEndpoint({ body: { url: receiver } });
  const page = await signInAs('vera-viewer');
  await page.getByRole('button', { name: project.name }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const buttons = () => page.locator('main button').allInnerTexts();
  await tab.goTo('developers/webhooks');
  await page.getByRole('link', { name: receiver }).waitFor();
  expect(await buttons()).toEqual([]);
  await tab.goTo(`developers/webhooks/${id}`);
  await page.getByText('Nothing was sent yet').waitFor();
  expect(await buttons()).toEqual([]);
  for (const [path, text] of [
    ['developers/integrations', 'No integration yet'],
    ['developers/provider-apps', 'No provider app yet'],
    ['developers/keys', 'None yet'],
    ['customers', 'No installation yet'],
  ] as const) {
    await tab.goTo(path);
    await page.getByText(text).waitFor();
    expect([path, await buttons(), await page.locator('main a.button').count()]).toEqual([path, [], 0]);
  }
  await project.client.management.deleteWebhookEndpoint({ endpointId: id });
});

withBrowser('what an admin changes leaves a line with who did it', async () => {
  const { id } = await project.client.management.createWebhookEndpoint({ body: { url: receiver } });
  const page = await signInAs('adam-admin');
  await page.getByRole('button', { name: project.name }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await tab.goTo(`developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Disable…' }).click();
  await page.getByRole('button', { name: 'Disable it' }).click();
  await page.getByText('Somebody disabled it.').waitFor();
  const path = `/v1/projects/${project.id}/webhook-endpoints/${id}`;
  expect(stack.logLines().filter(({ event }) => event === 'person.changed')).toContainEqual(
    expect.objectContaining({ person: 'person:adam-admin@example.com', method: 'PATCH', path, status: 200 }),
  );
});
