import type { WebhookEndpoint } from '@sluice/types';
import { startReceiver, type Receiver } from './start-receiver';
import { startWebhooks, type WebhookFixture } from './webhook-fixture';

let fixture: WebhookFixture;
let receiver: Receiver;
beforeAll(async () => {
  fixture = await startWebhooks();
  receiver = await startReceiver((response) => response.writeHead(200).end('ok'));
});
afterAll(async () => {
  await receiver.close();
  await fixture.stop();
});

const path = '/services/T000/B000/secret-of-the-channel';
const addChannel = (more: object = {}) => fixture.addEndpoint(receiver.url + path, { kind: 'slack', ...more });

it('gets a text at the address that nobody sees again', async () => {
  const made = await addChannel();
  const shown = `${new URL(receiver.url).origin}/…`;
  expect(made).toMatchObject({ kind: 'slack', url: shown, eventTypes: ['connection.error', 'installation.unhealthy'] });
  const { id: messageId } = await fixture.sendTest(made.id);
  expect(await fixture.ended(made.id, messageId)).toMatchObject({ status: 'delivered' });
  const [request] = receiver.received;
  expect(request?.path).toBe(path);
  expect(JSON.parse(request?.body ?? '')).toEqual({ text: expect.stringContaining('endpoint.test') });
  const replies = [
    await fixture.send('get', `/${made.id}`),
    await fixture.send('get', ''),
    await fixture.send('get', `/${made.id}/secret`),
    await fixture.send('get', `/${made.id}/messages/${messageId}`),
    await fixture.send('get', `/${made.id}/messages/${messageId}/attempts`),
  ];
  const stored = await fixture.management.database('webhook_endpoints').where({ id: made.id });
  for (const seen of [...replies, stored]) expect(JSON.stringify(seen)).not.toContain('secret-of-the-channel');
});

it('follows a change of its address, and keeps it when the secret is rotated', async () => {
  const { id } = await addChannel();
  const url = `${receiver.url}/services/another`;
  const changed = await fixture.send('patch', `/${id}`, { updateMask: ['url'], webhookEndpoint: { url } });
  expect(changed.body).toMatchObject({ url: `${new URL(url).origin}/…` } satisfies Partial<WebhookEndpoint>);
  await fixture.send('post', `/${id}:rotate-secret`);
  const sent = await fixture.sendTest(id);
  await fixture.ended(id, sent.id);
  expect(receiver.received.at(-1)?.path).toBe('/services/another');
});

it('takes alerts only', async () => {
  const eventTypes = ['write.async.done'];
  const refused = { issues: [{ detail: 'of kind slack may hold connection.error and installation.unhealthy' }] };
  const made = await fixture.send('post', '', { kind: 'slack', url: receiver.url, eventTypes });
  expect(made).toMatchObject({ status: 400, body: refused });
  const { id } = await addChannel();
  const changed = await fixture.send('patch', `/${id}`, {
    updateMask: ['eventTypes'],
    webhookEndpoint: { eventTypes },
  });
  expect(changed).toMatchObject({ status: 400, body: refused });
});
