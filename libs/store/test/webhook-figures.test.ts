import { webhookDayMessagesMax, type WebhookEndpoint } from '@sluice/types';
import type { EndpointKey } from '@sluice/store';
import { webhookEndpointStore } from '../src/webhooks/endpoint-store';
import { rowsRead } from './rows-read';
import { delivered, failed, useWebhookFixture } from './webhook-fixture';

const fixture = useWebhookFixture();

const figuresOf = async (key: EndpointKey): Promise<WebhookEndpoint['lastDay']> => {
  const found = await fixture.store.webhookEndpoints.find(key);
  const { items } = await fixture.store.webhookEndpoints.listPage(key.projectId, { size: 20 });
  expect(items.find(({ id }) => id === key.endpointId)).toEqual(found);
  return found?.lastDay;
};
const attempt = async (key: EndpointKey, end: typeof delivered | typeof failed) => {
  await fixture.store.webhookMessages.sendTest(key);
  const claim = { endpoints: [key], perEndpoint: 1, inFlightMax: 4, leaseMs: 60_000 };
  const [message] = await fixture.store.webhookMessages.claim(claim);
  if (message === undefined) throw new Error('nothing was claimed');
  // One that is under way has neither arrived nor failed.
  const before = await figuresOf(key);
  await fixture.store.webhookMessages.settle(message, end);
  return before;
};

it('counts what arrived and what did not, with the newest failed attempt, of the last day alone', async () => {
  const key = await fixture.addEndpoint();
  const other = await fixture.addEndpoint();
  expect(await attempt(key, delivered)).toEqual({ delivered: 0, failed: 0 });
  expect(await figuresOf(key)).toEqual({ delivered: 1, failed: 0 });
  // Still tried, and failing as a reader sees it.
  expect(await attempt(key, failed)).toEqual({ delivered: 1, failed: 0 });
  const refused = fixture.database('webhook_attempts').where({ class: 'refused' });
  const [startedAt] = (await refused.pluck('started_at')) as [Date];
  const lastFailureTime = startedAt.toISOString();
  expect(await figuresOf(key)).toEqual({ delivered: 1, failed: 1, lastFailureTime });
  await fixture.database('webhook_messages').where({ state: 'pending' }).update({ state: 'failed' });
  expect(await figuresOf(key)).toEqual({ delivered: 1, failed: 1, lastFailureTime });
  expect(await figuresOf(other)).toEqual({ delivered: 0, failed: 0 });
  await fixture
    .database('webhook_messages')
    .update({ created_at: fixture.database.raw(`now() - interval '25 hours'`) });
  expect(await figuresOf(key)).toEqual({ delivered: 0, failed: 0 });
});

// The console reads them every few seconds, of endpoints with any number of messages.
it('reads the newest messages of an endpoint alone, however many there are', async () => {
  const key = await fixture.addEndpoint();
  await fixture.database.raw(
    `insert into webhook_messages (project_id, endpoint_id, id, type, payload, state, attempts, ended_at)
     select ?, ?, to_char(n, '0000000'), 'endpoint.test', '{}', 'failed', 1, now() from generate_series(1, 20000) n`,
    [key.projectId, key.endpointId],
  );
  await fixture.database.raw('analyze webhook_messages');
  expect(await figuresOf(key)).toMatchObject({ delivered: 0, failed: webhookDayMessagesMax });
  const read = await rowsRead(fixture.database, async (inside) => {
    await webhookEndpointStore(inside).listPage(key.projectId, { size: 20 });
  });
  // An entry of the index and a row for each, and a look for the attempts of each.
  expect(read).toBeLessThan(5 * webhookDayMessagesMax);
});
