import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { until } from '@sluice/testkit';
import type { WebhookEvent, WebhookMessageListReply } from '@sluice/types';
import { call } from '../harness/api';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';

const boundMs = 180_000;
/** As Slack makes them: who knows it can post there. */
const channel = '/services/T000/B000/secret-of-the-channel';
let stack: OwnStack;
let customer: Customer;
let receiver: Server;
/** What arrived, in order, as often as it arrived. */
const arrived: WebhookEvent[] = [];
/** What the channel was sent. */
const texts: string[] = [];
/** Called with each that arrives; the answer waits for it. */
let beforeAnswer: (event: WebhookEvent) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url === channel) {
        texts.push((JSON.parse(body) as { text: string }).text);
        response.writeHead(200).end('ok');
        return;
      }
      const event = JSON.parse(body) as WebhookEvent;
      arrived.push(event);
      void beforeAnswer(event).then(() => response.writeHead(200).end());
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  stack = await startStack({
    env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32', SLUICE_WEBHOOK_TIMEOUT_MS: '5000' },
  });
});
// A project of its own for each test: none counts the endpoints of another.
beforeEach(async () => {
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
});
afterAll(async () => {
  await stack.stop();
  receiver.closeAllConnections();
  receiver.close();
});

const port = () => (receiver.address() as AddressInfo).port;
async function subscribe(eventTypes: readonly string[]): Promise<string> {
  const { url, key } = customer.project;
  const body = { url: `http://127.0.0.1:${port()}/`, eventTypes };
  return (await call<{ id: string }>(`${url}/webhook-endpoints`, { key, body })).id;
}
const write = async (email: string, more: object = {}) => {
  const order = { type: 'create', mode: 'asynchronous', record: { email }, ...more };
  return (await customer.write('contacts', order)).body.operationId;
};
const notificationsOf = (operationId: string) =>
  arrived.filter(({ data }) => 'operationId' in data && data.operationId === operationId);

it('reports asynchronous and batched writes once they ended, and the connection', async () => {
  await subscribe(['write.async.done', 'connection.*']);
  const single = await write('told@example.com');
  const batched = await write('batched@example.com', { autoBatchPolicy: { maxDelayMinutes: 1 } });
  for (const operationId of [single, batched]) {
    const [event] = await until(
      'it is told',
      () => (notificationsOf(operationId).length > 0 ? notificationsOf(operationId) : undefined),
      boundMs,
    );
    const { groupRef, installationId, connectionId } = customer;
    expect(event).toMatchObject({
      version: '1',
      notificationType: 'write.async.done',
      data: { status: 'success', success: true, objectName: 'contacts', groupRef, installationId, connectionId },
    });
    expect(JSON.stringify(event)).not.toContain('example.com');
    expect((await customer.ended(operationId)).status).toBe('success');
  }
  await until(
    'the connection works',
    () => arrived.find(({ data }) => 'status' in data && data.status === 'working'),
    boundMs,
  );
  const synchronous = await customer.write('contacts', { type: 'create', record: { email: 'sync@example.com' } });
  const last = await write('last@example.com');
  await until('the last is notified', () => notificationsOf(last)[0], boundMs);
  expect(notificationsOf(synchronous.body.operationId)).toEqual([]);
});

it('a customer whose access ended is posted to a channel once, without a value and without its address in a log', async () => {
  const { url, key } = customer.project;
  const body = { kind: 'slack', url: `http://127.0.0.1:${port()}${channel}` };
  const { id } = await call<{ id: string }>(`${url}/webhook-endpoints`, { key, body });
  await customer.account.revoke();
  for (let n = 0; n < 3; n += 1)
    await customer.write('contacts', { type: 'create', record: { email: 'lost@example.com' } });
  await until('both are posted', () => texts[1], boundMs);
  const messages = `${url}/webhook-endpoints/${id}/messages`;
  const { results } = await call<WebhookMessageListReply>(messages, { method: 'GET', key });
  expect(results.map(({ notificationType }) => notificationType)).toEqual([
    'installation.unhealthy',
    'connection.error',
  ]);
  const page = texts.toSorted().join('\n');
  expect(page).toMatch(/refuses the credentials that .* connected\. Let the customer connect again\./);
  expect(page).toMatch(/ is unhealthy: hubspot refuses the credentials/);
  for (const text of texts) expect([text.includes(customer.groupRef), text.includes('lost@')]).toEqual([true, false]);
  const logs = readdirSync(stack.logDir).map((file) => readFileSync(join(stack.logDir, file), 'utf8'));
  expect(logs.join('\n')).toContain(id);
  expect(logs.join('\n')).not.toContain('secret-of-the-channel');
});

// The one moment in which a message could be lost or marked too early: its receiver has it, and that is not committed yet.
it('kill -9 between the delivery and its mark: it comes again with the same id, and of N operations none is missing', async () => {
  const endpointId = await subscribe(['write.async.done']);
  const operations = 40;
  const held: { event: WebhookEvent; go: () => void }[] = [];
  beforeAnswer = (event) => new Promise((go) => void held.push({ event, go }));
  const ids: string[] = [];
  for (let n = 0; n < operations / 2; n += 1) ids.push(await write(`killed-${n}@example.com`));
  await until('deliveries are under way', () => held[2], boundMs);
  await stack.processes.kill('management', 'SIGKILL');
  const unmarked = [...held];
  beforeAnswer = () => Promise.resolve();
  for (const { go } of unmarked) go();
  // Nobody delivers, and what happens is kept.
  for (let n = operations / 2; n < operations; n += 1) ids.push(await write(`killed-${n}@example.com`));
  await stack.processes.start('management');
  const missing = () => ids.filter((id) => notificationsOf(id).length === 0);
  await until('all are notified', () => (missing().length === 0 ? true : undefined), boundMs);
  for (const id of ids) expect([id, new Set(notificationsOf(id).map((event) => event.id)).size]).toEqual([id, 1]);
  for (const { event } of unmarked) {
    await until(
      'it came again',
      () => (arrived.filter(({ id }) => id === event.id).length > 1 ? true : undefined),
      boundMs,
    );
  }
  const { url, key } = customer.project;
  const list = async (status: string) =>
    (
      await call<WebhookMessageListReply>(`${url}/webhook-endpoints/${endpointId}/messages?status=${status}`, {
        method: 'GET',
        key,
      })
    ).results;
  await until('none is pending', async () => ((await list('pending')).length === 0 ? true : undefined), boundMs);
  expect(await list('delivered')).toHaveLength(operations);
  expect(await list('failed')).toEqual([]);
});
