import { lookup } from 'node:dns/promises';
import { startScriptedProvider, type ScriptedProvider } from '@sluice/testkit';
import { startDnsStub, type DnsStub } from '../test/dns-stub';
import { createWebhookSender, type WebhookOutcome, type WebhookSender } from './webhook-sender';

let receiver: ScriptedProvider;
let dns: DnsStub;
let sender: WebhookSender;
/** What the next questions for `rebind.example.com` are answered with, one each. */
let turns: string[];
beforeAll(async () => {
  receiver = await startScriptedProvider(() => ({ status: 200 }));
  dns = await startDnsStub((name) => {
    if (name.startsWith('hangs')) return 'silence';
    if (name === 'receiver.example.com') return ['127.0.0.1'];
    if (name === 'inside.example.com') return ['10.0.0.1'];
    if (name === 'rebind.example.com') return [turns.length > 1 ? (turns.shift() ?? '') : (turns[0] ?? '')];
    return [];
  });
});
beforeEach(() => {
  dns.asked.length = 0;
  turns = [];
  receiver.calls.length = 0;
  receiver.answer = () => ({ status: 200 });
  sender = createWebhookSender({ egressAllow: ['127.0.0.1/32'], timeoutMs: 30_000, nameServers: [dns.server] });
});
afterEach(() => sender.close());
afterAll(async () => {
  await receiver.close();
  await dns.close();
});

const port = () => new URL(receiver.url).port;
const sendTo = (host: string): Promise<WebhookOutcome> =>
  sender.send({ url: `http://${host}:${port()}/`, headers: {}, body: '{}' });

describe('a name', () => {
  it('is looked up in DNS, both families at once', async () => {
    expect(await sendTo('receiver.example.com')).toMatchObject({ class: 'delivered' });
    expect(dns.asked).toEqual(['receiver.example.com', 'receiver.example.com']);
  });

  it('of this machine needs no DNS', async () => {
    expect(await sendTo('localhost')).toMatchObject({ class: 'delivered' });
    expect(dns.asked).toEqual([]);
  });

  it('that hangs holds up nobody: neither other notifications nor the lookups of the process', async () => {
    // More than libuv has threads, each asked in both families.
    const hanging = Array.from({ length: 16 }, (_, index) => sendTo(`hangs-${index}.example.com`));
    let isOver = false;
    const all = Promise.all(hanging).finally(() => (isOver = true));
    expect(await sendTo('receiver.example.com')).toMatchObject({ class: 'delivered' });
    await lookup('localhost');
    expect(isOver).toBe(false);
    for (const outcome of await all) expect(outcome).toMatchObject({ class: 'timeout' });
  });

  it('that does not exist is reported like one with a private address: a builder learns no names of our network', async () => {
    const hidden = {
      class: 'forbidden-address',
      response: expect.stringMatching(/^the receiver has no public address; .*SLUICE_WEBHOOK_EGRESS_ALLOW$/),
    };
    expect(await sendTo('nobody.example.com')).toMatchObject(hidden);
    expect(await sendTo('inside.example.com')).toMatchObject(hidden);
    expect(receiver.calls).toEqual([]);
  });
});

describe('the address that is checked is the one that is connected to', () => {
  it('a name that changes its mind is asked once for a connection', async () => {
    turns = ['127.0.0.1', '127.0.0.1', '10.0.0.1'];
    expect(await sendTo('rebind.example.com')).toMatchObject({ class: 'delivered' });
    expect(dns.asked).toHaveLength(2);
    await sender.close();
    sender = createWebhookSender({ egressAllow: ['127.0.0.1/32'], timeoutMs: 30_000, nameServers: [dns.server] });
    expect(await sendTo('rebind.example.com')).toMatchObject({ class: 'forbidden-address' });
    expect(receiver.calls).toHaveLength(1);
  });
});

it.each([
  [429, '120', 120_000],
  [503, '1.5', 1_500],
  [503, 'Wed, 21 Oct 2015 07:28:00 GMT', undefined],
  [429, 'soon', undefined],
  [500, '120', undefined],
  [200, '120', undefined],
])('%d with Retry-After: %s', async (status, value, expected) => {
  receiver.answer = () => ({ status, headers: { 'retry-after': value } });
  expect((await sendTo('receiver.example.com')).retryAfterMs).toBe(expected);
});

it('a receiver that redirects is refused, and nobody follows', async () => {
  receiver.answer = () => ({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
  expect(await sendTo('localhost')).toMatchObject({ class: 'refused', status: 307 });
  expect(receiver.calls).toHaveLength(1);
});

it('a receiver that is not there is unreachable, with the reason', async () => {
  const outcome = await sender.send({ url: 'http://127.0.0.1:1/', headers: {}, body: '{}' });
  expect(outcome).toMatchObject({ class: 'unreachable', response: 'ECONNREFUSED' });
});

// Without a network that the operator allows, as most run it.
it.each([
  ['https://127.0.0.1/', 'must not be a private or reserved address', '127.0.0.1/32'],
  ['https://[::ffff:127.0.0.1]/', 'must not be a private or reserved address', '::ffff:7f00:1/128'],
  ['http://127.0.0.1:9000/', 'must begin with https://', '127.0.0.1/32'],
  ['http://localhost:9000/', 'must begin with https://', '127.0.0.1/32'],
])('%s is refused, and the remedy says what allows it', async (url, detail, network) => {
  const strict = createWebhookSender({ egressAllow: [], timeoutMs: 30_000 });
  const remedy = expect.stringContaining(`SLUICE_WEBHOOK_EGRESS_ALLOW=${network}.`);
  expect(strict.refusal(url)).toEqual({ detail, remedy });
  await strict.close();
});
