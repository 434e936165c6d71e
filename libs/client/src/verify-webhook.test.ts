import { createHmac } from 'node:crypto';
import { SluiceWebhookError, verifyWebhook } from './index';

const secret = `whsec_${Buffer.from('a secret of 32 bytes, not random').toString('base64')}`;
const other = `whsec_${Buffer.from('another secret, neither of chance').toString('base64')}`;
const now = new Date('2026-11-20T10:00:00Z');
const body = JSON.stringify({ version: '1', id: 'm1', notificationType: 'endpoint.test', data: { name: 'Zoë' } });
const sign = (by: string, id: string, at: Date) => {
  const key = Buffer.from(by.slice('whsec_'.length), 'base64');
  const text = `${id}.${Math.floor(at.getTime() / 1_000)}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};
const headersOf = (by = secret, at = now, id = 'm1') => ({
  'svix-id': id,
  'svix-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'svix-signature': sign(by, id, at),
});
const reasonOf = async (...given: Parameters<typeof verifyWebhook>) => {
  const error: unknown = await verifyWebhook(...given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SluiceWebhookError);
  return (error as SluiceWebhookError).reason;
};

describe('verifyWebhook gives the event', () => {
  // The message that Svix' own documentation and tests have.
  it('of a message that others signed', async () => {
    const headers = {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const options = { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', now: new Date(1614265330_000) };
    await expect(verifyWebhook('{"test": 2432232314}', headers, options)).resolves.toEqual({ test: 2432232314 });
  });

  it('of a text and of bytes, with headers of Node and of fetch', async () => {
    const event = { notificationType: 'endpoint.test', data: { name: 'Zoë' } };
    await expect(verifyWebhook(body, headersOf(), { secret, now })).resolves.toMatchObject(event);
    const bytes = new TextEncoder().encode(body);
    await expect(verifyWebhook(bytes, new Headers(headersOf()), { secret, now })).resolves.toMatchObject(event);
  });

  it('whatever the case of the names', async () => {
    const headers = Object.fromEntries(
      Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    await expect(verifyWebhook(body, headers, { secret, now })).resolves.toMatchObject({ id: 'm1' });
  });

  it('with any of several signatures and secrets', async () => {
    const { 'svix-signature': first, ...more } = headersOf();
    const signatures = `v2,abc v1,&& ${headersOf(other)['svix-signature']} ${first}`;
    const headers = { ...more, 'svix-signature': signatures };
    await expect(verifyWebhook(body, headers, { secret, now })).resolves.toMatchObject({ id: 'm1' });
    await expect(verifyWebhook(body, headersOf(), { secret: [other, secret], now })).resolves.toBeDefined();
  });
});

describe('verifyWebhook refuses', () => {
  it.each([
    ['another body', `${body} `, headersOf()],
    ['another id', body, { ...headersOf(), 'svix-id': 'm2' }],
    ['another secret', body, headersOf(other)],
    ['no signature of this version', body, { ...headersOf(), 'svix-signature': 'v1a,abc' }],
  ])('%s', async (_what, payload, headers) => {
    expect(await reasonOf(payload, headers, { secret, now })).toBe('signature-wrong');
  });

  it.each(['svix-id', 'svix-timestamp', 'svix-signature'])('a message without %s', async (name) => {
    expect(await reasonOf(body, { ...headersOf(), [name]: undefined }, { secret, now })).toBe('header-missing');
  });

  it.each([
    ['too-old', -301],
    ['too-new', 301],
  ])('one that is %s by a second', async (reason, seconds) => {
    const at = new Date(now.getTime() + seconds * 1_000);
    expect(await reasonOf(body, headersOf(secret, at), { secret, now })).toBe(reason);
    const patient = { secret, now, toleranceSeconds: 302 };
    await expect(verifyWebhook(body, headersOf(secret, at), patient)).resolves.toBeDefined();
  });

  it('a moment that is none', async () => {
    expect(await reasonOf(body, { ...headersOf(), 'svix-timestamp': '1e99' }, { secret, now })).toBe('too-old');
  });

  it.each(['', 'whsec_', 'abc', 'whsec_&'])('the secret %j, as a mistake of ours', async (wrong) => {
    await expect(verifyWebhook(body, headersOf(), { secret: wrong, now })).rejects.toBeInstanceOf(TypeError);
  });
});
