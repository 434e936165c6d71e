import { signInSettings, startOpenIdProvider } from '@sluice/testkit';
import type { Page } from 'playwright-core';
import { createProject } from '../harness/project';
import { startStack } from '../harness/stack';
import { useConsole } from './console/open-console';
import { violationsOf } from './console/violations';

let provider: Awaited<ReturnType<typeof startOpenIdProvider>>;
const { withBrowser, stack, project, tab, open } = useConsole({
  of: 'signing in to the console with OpenID Connect',
  start: async () => {
    provider = await startOpenIdProvider('http://127.0.0.1/console/signed-in');
    return await startStack({ only: ['management'], env: signInSettings(provider.issuer) });
  },
  // The login page is the provider's, and asks for a font.
  mayAsk: () => [provider.issuer, 'https://fonts.googleapis.com'],
});
afterAll(() => provider?.stop());

/** Types a name at the provider, and agrees. */
async function signInAs(name: string): Promise<Page> {
  const page = await open();
  await page.getByRole('link', { name: 'Sign in with your account' }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  return page;
}

withBrowser('a person chooses a project, reads it, goes on to another, and signs out', async () => {
  await createProject(stack);
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
  // What is copied changes nothing.
  const buttons = () => page.locator('main button').filter({ hasNotText: /^Copy/ }).allInnerTexts();
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
    ['customers', 'No customer yet'],
  ] as const) {
    await tab.goTo(path);
    await page.getByText(text).waitFor();
    expect([path, await buttons(), await page.locator('main a.button').count()]).toEqual([path, [], 0]);
  }
});
