import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slackFilters } from '@sluice/types';
import { startEmbeddedStack } from '../harness/embedded-stack';
import { useConsole } from './console/open-console';
import { picture } from './console/picture';
import { fitsEverybody } from './console/violations';

const { withBrowser, project, tab, openAt } = useConsole({
  of: 'the webhooks of the console in a real browser',
  start: () => startEmbeddedStack({ env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' } }),
});

let receiver: Server;
let status = 204;
beforeAll(async () => {
  receiver = createServer((_request, response) => {
    response.writeHead(status).end(status === 204 ? undefined : 'The receiver is being deployed.');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
beforeEach(() => (status = 204));
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const address = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const endpoint = async (): Promise<string> => {
  const { id } = await project.client.management.createWebhookEndpoint({ body: { url: address() } });
  return id;
};

withBrowser('adds an endpoint, after saying beside the fields what is wrong with it', async () => {
  const page = await openAt('developers/webhooks');
  await page.getByText('No endpoint yet').waitFor();
  await page.getByRole('button', { name: 'Add an endpoint…' }).click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Address is required.').waitFor();
  await page.getByLabel('Address').fill('https://10.0.0.7/hook');
  for (const box of await page.getByRole('group', { name: 'Sends' }).getByRole('checkbox').all()) await box.uncheck();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Sends needs one at least').waitFor();
  await page.getByRole('checkbox', { name: 'connection.error' }).check();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page
    .locator('.issue[data-field="url"]')
    .getByText('Address must not be a private or reserved address')
    .waitFor();
  expect(await page.locator('.issue[data-field="url"]').innerText()).toContain(
    'SLUICE_WEBHOOK_EGRESS_ALLOW=10.0.0.7/32',
  );
  await page.getByLabel('Address').fill(address());
  await page.getByRole('button', { name: 'Add it' }).click();
  const secret = await page.getByRole('textbox', { name: /^Secret of/ }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('link', { name: address() }).click();
  await page.getByRole('heading', { name: address() }).waitFor();
  const [made] = await project.client.management.listWebhookEndpoints();
  expect(made).toMatchObject({ url: address(), eventTypes: ['connection.error'], status: 'enabled' });
  // From the list a test leads to where its answer appears.
  await tab.goTo('developers/webhooks');
  await page.getByRole('button', { name: `Send a test to ${address()}` }).click();
  await page.locator('tbody tr', { hasText: 'endpoint.test' }).locator('.badge', { hasText: 'delivered' }).waitFor();
});

withBrowser('adds a channel of Slack, of which only what Slack takes is asked', async () => {
  const page = await openAt('developers/webhooks');
  await page.getByText('No endpoint yet').waitFor();
  await page.getByRole('button', { name: 'Add an endpoint…' }).click();
  await page.getByLabel('Who reads it').selectOption('slack');
  const boxes = page.getByRole('group', { name: 'Sends' }).getByRole('checkbox');
  expect(await boxes.evaluateAll((all) => all.map((box) => box.getAttribute('value')))).toEqual([...slackFilters]);
  await page.getByRole('checkbox', { name: 'connection.error' }).uncheck();
  await page.getByLabel('Address').fill(address());
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.locator('tbody tr', { hasText: 'Slack channel' }).waitFor();
  const [made] = await project.client.management.listWebhookEndpoints();
  expect(made).toMatchObject({ kind: 'slack', eventTypes: ['installation.unhealthy'] });
  await page.getByRole('button', { name: /^Send a test to/ }).click();
  await page.getByText('delivered in the last day: 100 % of 1').waitFor();
  await page.getByRole('button', { name: /^Attempts of/ }).click();
  await page.getByText('The event, which Slack gets as one sentence').waitFor();
});

withBrowser('sends a test, shows what the receiver answered, and sends what failed again', async () => {
  const id = await endpoint();
  status = 503;
  const page = await openAt(`developers/webhooks/${id}`);
  await page.getByText('Nothing was sent yet.').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  const row = page.locator('tbody tr', { hasText: 'endpoint.test' });
  await row.getByText('waiting').waitFor();
  await row.getByRole('button', { name: /^Attempts of/ }).click();
  await page
    .getByText(/: refused, status 503, \d+ ms/)
    .first()
    .waitFor();
  expect(await page.locator('.timeline').innerText()).toContain('The receiver is being deployed.');
  await page.getByText('Failing since').waitFor();
  await page.getByText('delivered in the last day: 0 % of 1').waitFor();
  await tab.goTo('overview');
  await page.getByRole('region', { name: 'Failing webhooks' }).getByText('1 webhook failing.').waitFor();
  await page.goBack();
  await row.getByRole('button', { name: /^Attempts of/ }).click();
  await page.getByText('What is sent').click();
  await picture(page, 'console-webhook');
  expect(await page.locator('.explained pre').innerText()).toContain('"notificationType": "endpoint.test"');
  status = 204;
  await row.getByRole('button', { name: /^Replay/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await row.locator('.badge', { hasText: 'delivered' }).waitFor();
  await page.getByText('Failing since').waitFor({ state: 'detached' });
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('None has this status.').waitFor();
  expect(page.url()).toMatch(/\?status=failed$/);
  await page.getByRole('button', { name: 'Replay what failed…' }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('Happened since is required.').waitFor();
  await page.getByLabel('Happened since').fill('2026-01-01T12:00');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('0 messages will be sent again.').waitFor();
});

withBrowser('shows the secret when asked, and rotates it', async () => {
  const id = await endpoint();
  const page = await openAt(`developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Show the secret' }).click();
  const before = await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue();
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await page.getByRole('button', { name: 'Leave it' }).click();
  expect((await project.client.management.getWebhookSecret({ endpointId: id })).secret).toBe(before);
  await page.getByRole('button', { name: 'Rotate…' }).click();
  await page.getByRole('button', { name: 'Rotate it' }).click();
  expect(await page.getByRole('textbox', { name: /^The one before/ }).inputValue()).toBe(before);
  const secret = await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue();
  expect(secret).not.toBe(before);
  await page.getByRole('button', { name: 'Hide the secret' }).click();
  expect(await page.locator('main').innerHTML()).not.toContain('whsec_');
});

withBrowser('changes, disables and deletes an endpoint, each after asking', async () => {
  const id = await endpoint();
  const page = await openAt(`developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Change…' }).click();
  await page.getByLabel('What it is for').fill('Results');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Results ·').waitFor();
  await page.getByRole('button', { name: 'Disable…' }).click();
  await page.getByRole('button', { name: 'Disable it' }).click();
  await page.getByText('Somebody disabled it.').waitFor();
  expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Enable…' }).click();
  await page.getByRole('button', { name: 'Enable it' }).click();
  await page.getByText('Somebody disabled it.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('No endpoint yet').waitFor();
});

withBrowser(
  'a key that may only read sees no secret and changes nothing; a lost network is shown and heals',
  async () => {
    const id = await endpoint();
    const page = await openAt(`developers/webhooks/${id}`, await project.createKey(['read']));
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText('auth.scope-missing').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('No test was sent').waitFor();
    await page.getByRole('button', { name: 'Sign in with another key' }).first().waitFor();
    await tab.context.setOffline(true);
    await page.getByText('No answer from the management service.').waitFor();
    expect(await page.getByRole('heading', { name: address() }).count()).toBe(1);
    await tab.context.setOffline(false);
    await page.getByText('No answer from the management service.').waitFor({ state: 'detached' });
  },
);

// With everything open that can be opened, in both colours and widths.
withBrowser('can be used by everybody', async () => {
  const id = await endpoint();
  status = 503;
  const page = await openAt(`developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('button', { name: /^Attempts of/ }).click();
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await page.getByRole('button', { name: 'Replay what failed…' }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('Happened since is required.').waitFor();
  await page.getByText('What is sent').click();
  await fitsEverybody(page, 'endpoint');
  await page.getByRole('link', { name: '← Webhooks' }).click();
  await page.getByRole('link', { name: address() }).waitFor();
  await fitsEverybody(page, 'list');
  await page.getByRole('button', { name: 'Add an endpoint…' }).click();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Address is required.').waitFor();
  await fitsEverybody(page, 'new endpoint');
});
