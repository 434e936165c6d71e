import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@sluice/testkit';
import { sampleFile, startReceiver, startSample, type Receiver, type SampleReceiver } from './start-receiver';
import { startWebhooks, type WebhookFixture } from './webhook-fixture';

// Minutes of the table of pauses pass in a second.
const settings = { SLUICE_TIME_SCALE: '60' };
let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await startWebhooks(settings);
});
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(() => fixture.stop());

async function receiver(answer: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const started = await startReceiver(answer);
  open.push(started);
  return started;
}
async function sample(secret: string): Promise<SampleReceiver> {
  const started = await startSample(secret);
  open.push(started);
  return started;
}
/** What the sample printed as its nth line: its output may come after the reply that it gave. */
const printed = ({ lines }: Pick<SampleReceiver, 'lines'>, n = 0) => until(`line ${n}`, () => lines[n]);
const answering = (status: number) => receiver((response) => response.writeHead(status).end('said so'));

describe('the signature', () => {
  it("is taken by Svix' own verifier: the receiver of the guide, which this page prints", async () => {
    const guide = readFileSync(join(__dirname, '../../../docs/guides/notifications.md'), 'utf8');
    expect(guide).toContain(`\`\`\`js\n${readFileSync(sampleFile, 'utf8')}\`\`\``);
    const endpoint = await fixture.addEndpoint('http://127.0.0.1:1/');
    const { url, lines } = await sample(endpoint.secret);
    await fixture.send('patch', `/${endpoint.id}`, { updateMask: ['url'], webhookEndpoint: { url: `${url}/in?a=b` } });
    const { id } = await fixture.sendTest(endpoint.id);
    expect(await fixture.ended(endpoint.id, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    await printed({ lines });
    expect(lines).toEqual([
      `endpoint.test ${id} ${JSON.stringify({ projectId: fixture.project.id, endpointId: endpoint.id })}`,
    ]);
    expect(await fixture.attempts(endpoint.id, id)).toEqual([
      {
        number: 1,
        startTime: expect.any(String),
        class: 'delivered',
        responseStatus: 204,
        durationMs: expect.any(Number),
      },
    ]);
    // Sent again it has the same id, by which the receiver knows it.
    await fixture.send('post', `/${endpoint.id}/messages/${id}:replay`);
    await fixture.attempted(endpoint.id, id, 2);
    expect(lines).toHaveLength(1);
  });

  it('is made with both secrets for a day after a rotation, then with the new one only', async () => {
    const endpoint = await fixture.addEndpoint('http://127.0.0.1:1/');
    const rotated = (await fixture.send('post', `/${endpoint.id}:rotate-secret`)).body as { secret: string };
    const [old, young] = [await sample(endpoint.secret), await sample(rotated.secret)];
    const deliverTo = async (to: SampleReceiver) => {
      const { url, lines } = to;
      const before = lines.length;
      await fixture.send('patch', `/${endpoint.id}`, { updateMask: ['url'], webhookEndpoint: { url } });
      const { id } = await fixture.sendTest(endpoint.id);
      await fixture.attempted(endpoint.id, id);
      return await printed(to, before);
    };
    expect(await deliverTo(old)).toMatch(/^endpoint\.test/);
    expect(await deliverTo(young)).toMatch(/^endpoint\.test/);
    const { database } = fixture.management;
    await database('webhook_endpoints')
      .where({ project_id: fixture.project.id })
      .update({ previous_secret_until: database.raw(`previous_secret_until - interval '24 hours'`) });
    expect((await fixture.send('get', `/${endpoint.id}/secret`)).body).toEqual({ secret: rotated.secret });
    expect(await deliverTo(old)).toMatch(/^refused/);
    expect(await deliverTo(young)).toMatch(/^endpoint\.test/);
  });
});

it('sends the body that the API shows, and the headers that it promises', async () => {
  const { url, received } = await answering(200);
  const { id } = await fixture.addEndpoint(`${url}/hooks?x=1`);
  const message = await fixture.sendTest(id);
  await fixture.ended(id, message.id);
  const shown = (await fixture.send('get', `/${id}/messages/${message.id}`)).body as { payload: object };
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    path: '/hooks?x=1',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'sluice-webhooks',
      'svix-id': message.id,
      'svix-timestamp': expect.stringMatching(/^\d{10}$/),
      'svix-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    },
  });
  expect(JSON.parse(received[0]?.body ?? '')).toEqual(shown.payload);
});

it('gives up what is written for an endpoint by who did not see that it was disabled', async () => {
  const { url, received } = await answering(200);
  const { id } = await fixture.addEndpoint(url);
  const message = await fixture.sendTest(id);
  await fixture.ended(id, message.id);
  await fixture.send('patch', `/${id}`, { updateMask: ['status'], webhookEndpoint: { status: 'disabled' } });
  const { database } = fixture.management;
  await database('webhook_messages').where({ endpoint_id: id }).update({ state: 'pending', ended_at: null });
  expect(await fixture.ended(id, message.id)).toMatchObject({ status: 'failed' });
  expect(received).toHaveLength(1);
});

it('tries again until the receiver takes it, and says what each attempt met', async () => {
  let asked = 0;
  const { url, received } = await receiver((response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 500 : 200).end(`answer ${asked}\u0000\u001b[31m`);
  });
  const { id } = await fixture.addEndpoint(url);
  const message = await fixture.sendTest(id);
  expect(await fixture.ended(id, message.id)).toMatchObject({ status: 'delivered', attempts: 3 });
  expect(await fixture.attempts(id, message.id)).toMatchObject([
    { number: 1, class: 'refused', responseStatus: 500, response: 'answer 1 [31m' },
    { number: 2, class: 'refused', responseStatus: 500 },
    { number: 3, class: 'delivered', responseStatus: 200, response: 'answer 3 [31m' },
  ]);
  expect(new Set(received.map(({ headers }) => headers['svix-id']))).toEqual(new Set([message.id]));
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
});

describe('a receiver that says what it wants', () => {
  it('503 with Retry-After: nothing is sent to it before', async () => {
    let asked = 0;
    // Scaled as every pause is: 120 s are 2.
    const { url, received } = await receiver((response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 503 : 200, asked === 1 ? { 'retry-after': '120' } : {}).end();
    });
    const { id } = await fixture.addEndpoint(url);
    const message = await fixture.sendTest(id);
    await fixture.attempted(id, message.id);
    const other = await fixture.sendTest(id);
    for (const one of [message, other]) expect(await fixture.ended(id, one.id)).toMatchObject({ status: 'delivered' });
    const [first, second] = await fixture.attempts(id, message.id);
    const [only] = await fixture.attempts(id, other.id);
    const ends = Date.parse(first?.startTime ?? '') + (first?.durationMs ?? 0);
    for (const later of [second, only]) expect(Date.parse(later?.startTime ?? '') - ends).toBeGreaterThanOrEqual(1_900);
    expect(received).toHaveLength(3);
  });

  it('410: it is disabled at once, and the others of the project hear of it', async () => {
    const { url, received } = await answering(410);
    const { id } = await fixture.addEndpoint(url);
    const other = await fixture.addEndpoint('http://127.0.0.1:1/', { eventTypes: ['endpoint.disabled'] });
    const message = await fixture.sendTest(id);
    expect(await fixture.ended(id, message.id)).toMatchObject({ status: 'failed', attempts: 1 });
    const shown = (await fixture.send('get', `/${id}`)).body;
    expect(shown).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    const delivered = await fixture.messages(other.id);
    expect(delivered).toMatchObject([{ notificationType: 'endpoint.disabled' }]);
    expect((await fixture.send('get', `/${other.id}/messages/${delivered[0]?.id}`)).body).toMatchObject({
      payload: { data: { endpointId: id, reason: 'gone' } },
    });
    expect(received).toHaveLength(1);
    const { body } = await fixture.management.context.metrics.expose();
    expect(body).toMatch(/sluice_webhook_endpoints_disabled_total\{[^}]*reason="gone"[^}]*\} 1\n/);
  });
});

it('a secret that cannot be read: a failed attempt as others, until the key is there again', async () => {
  const { url, received } = await answering(200);
  const { id } = await fixture.addEndpoint(url);
  const { database } = fixture.management;
  const [row] = await database('webhook_endpoints').where({ id }).select<{ sealed_secret: string }[]>('sealed_secret');
  const sealed = row?.sealed_secret ?? '';
  const seal = (text: string) => database('webhook_endpoints').where({ id }).update({ sealed_secret: text });
  await seal(sealed.replace('v1.k1.', 'v1.lost.'));
  const message = await fixture.sendTest(id);
  const attempts = await fixture.attempted(id, message.id, 2);
  expect(attempts.slice(0, 2)).toMatchObject([
    { number: 1, class: 'not-signed' },
    { number: 2, class: 'not-signed' },
  ]);
  expect(received).toEqual([]);
  expect((await fixture.send('get', `/${id}`)).body).not.toHaveProperty('failingSince');
  await seal(sealed);
  expect(await fixture.ended(id, message.id)).toMatchObject({ status: 'delivered' });
});

describe('a receiver that is no good', () => {
  it('hangs: the attempt ends in time', async () => {
    const { url } = await receiver(() => undefined);
    const hasty = await startWebhooks({ SLUICE_WEBHOOK_TIMEOUT_MS: '1000' });
    const { id } = await hasty.addEndpoint(url);
    const message = await hasty.sendTest(id);
    const [attempt] = await hasty.attempted(id, message.id);
    expect(attempt).toMatchObject({ class: 'timeout' });
    expect(attempt).not.toHaveProperty('responseStatus');
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(990);
    await hasty.stop();
  });

  it('answers with a gigabyte: its beginning is read, and the connection cut', async () => {
    let written = 0;
    let isCut = false;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const { url } = await receiver((response) => {
      response.writeHead(200, { 'content-length': 1024 ** 3 });
      const pour = (): void => {
        if (isCut || written >= 1024 ** 3) return;
        written += chunk.length;
        if (response.write(chunk)) setImmediate(pour);
        else response.once('drain', pour);
      };
      response.on('close', () => (isCut = true));
      pour();
    });
    const { id } = await fixture.addEndpoint(url);
    const message = await fixture.sendTest(id);
    const [attempt] = await fixture.attempted(id, message.id);
    expect(attempt).toMatchObject({ class: 'delivered', responseStatus: 200, response: 'x'.repeat(256) });
    await until('the connection is cut', () => isCut || undefined);
    // What the sockets of both sides hold, far from what it would pour.
    expect(written).toBeLessThan(32 * 1024 ** 2);
  });

  it('is slow: its messages take the places of nobody', async () => {
    const few = await startWebhooks({ SLUICE_WEBHOOK_TIMEOUT_MS: '60000', SLUICE_WEBHOOK_CONCURRENCY: '8' });
    const held: (() => void)[] = [];
    const slow = await receiver((response) => held.push(() => response.writeHead(200).end()));
    const quick = await answering(200);
    const slowId = (await few.addEndpoint(slow.url)).id;
    for (let n = 0; n < 12; n += 1) await few.sendTest(slowId);
    await until('four are under way', () => held[3]);
    const quickId = (await few.addEndpoint(quick.url)).id;
    const sent = [];
    for (let n = 0; n < 12; n += 1) sent.push(await few.sendTest(quickId));
    for (const { id } of sent) expect(await few.ended(quickId, id)).toMatchObject({ status: 'delivered' });
    expect(held).toHaveLength(4);
    expect((await few.messages(slowId)).every(({ status }) => status === 'pending')).toBe(true);
    for (let n = 0; n < 12; n += 1) {
      (await until(`delivery ${n}`, () => held[n]))();
    }
    for (const { id } of await few.messages(slowId)) {
      expect(await few.ended(slowId, id)).toMatchObject({ status: 'delivered', attempts: 1 });
    }
    await few.stop();
  });
});
