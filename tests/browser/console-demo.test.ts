import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSluiceClient } from '@sluice/client';
import { seedSandboxDemo } from '@sluice/local';
import { startEmbeddedStack } from '../harness/embedded-stack';
import { useConsole } from './console/open-console';

const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
const { withBrowser, stack, tab, openAt } = useConsole({
  of: 'connecting a customer of the demo in a real browser',
  start: () => startEmbeddedStack(),
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seed = () =>
  seedSandboxDemo({ folder, addresses: stack, secrets: { adminKey: stack.adminKey, credentialsKeys: '' } });

// What customers are shown is its owner's to change.
withBrowser('a later start finds its project, whatever the app is called', async () => {
  const { baseUrl, apiKey, project } = (await seed()).demo;
  const { management } = createSluiceClient({ baseUrl, apiKey, projectIdOrName: project.id });
  await management.updateProject({ body: { updateMask: ['appName'], project: { appName: 'Acme' } } });
  expect((await seed()).demo.project).toEqual(project);
});

// What `npm start` makes is enough: no app has to be registered before a customer can use a link.
withBrowser.each(['hubspot', 'salesforce'])(
  'connects and installs a customer of %s by a link, after a second start too',
  async (provider) => {
    await seed();
    const { demo } = await seed();
    const page = await openAt('customers/new', demo.apiKey);
    const integration = demo.integrations.find((one) => one.provider === provider);
    await page.getByLabel('Integration').selectOption(integration?.name ?? '');
    await page.getByLabel('Customer: your id').fill(`globex-${provider}`);
    await page.getByLabel('Who connects').fill('bo');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const url = await page.getByLabel('Link for').inputValue();
    // What the customer does is done by the service: the operator's page is closed.
    await page.close();
    // The customer's browser: the imitated provider allows the app in, and sends it back to us.
    const theirs = await tab.context.browser()?.newContext();
    const visit = await theirs?.newPage();
    await visit?.goto(url);
    await visit?.getByRole('button', { name: 'Continue to' }).click();
    await visit
      ?.getByRole('button', { name: /Finish|Skip/ })
      .or(visit.getByRole('heading', { name: 'Connected' }))
      .waitFor();
    await theirs?.close();
    const own = await openAt('customers', demo.apiKey);
    await own.getByText(`globex-${provider}`).first().waitFor();
    await own.getByText('healthy').first().waitFor();
  },
);
