import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { describeHints, eventually } from '../test/conformance';
import type { Hints } from './hints';
import { createRedisHints, type RedisHintsOptions } from './redis-hints';

const url = env['REDIS_URL'] ?? '';

/** Patient, so that a busy machine does not look like a Redis that is away; the tests of silence are not. */
function open(more: Partial<RedisHintsOptions> = {}): Hints {
  return createRedisHints({ url, logger: silentLogger, metrics: createMetrics('redis'), timeoutMs: 5_000, ...more });
}

const impatient = { timeoutMs: 250 };

describeHints('Redis', async () => {
  const opened: Hints[] = [];
  return {
    open: async () => {
      const hints = open();
      opened.push(hints);
      await eventually(() => hints.healthy());
      return hints;
    },
    dispose: async () => void (await Promise.all(opened.map((hints) => hints.close()))),
  };
});

describe('Redis: what is stored', () => {
  it('has a prefix and an end of life on every key', async () => {
    const prefix = `test-${randomUUID()}:`;
    const hints = open({ prefix });
    const client = new Redis(url);
    await eventually(() => hints.healthy());
    await hints.cache.set('key', 'value', 5_000);
    await hints.quotas.take('bucket', { limit: 10, windowMs: 5_000 });
    const keys = (await client.keys(`${prefix}*`)).toSorted();
    expect(keys).toEqual([`${prefix}cache:key`, `${prefix}quota:bucket:5000`]);
    for (const key of keys) {
      const ttlMs = await client.pttl(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual(5_500);
    }
    await hints.close();
    client.disconnect();
  });
});

type Disturb = (proxy: TcpProxy) => void | Promise<void>;
// What an error reply does, as that of a full memory, is tested in guard.test.
const faults: [name: string, begin: Disturb, end: Disturb][] = [
  ['refused', (proxy) => proxy.cut(), (proxy) => proxy.mend()],
  // Bytes that never arrived end a connection, sooner or later.
  ['silent', (proxy) => proxy.disturb({ silent: 'request' }), (proxy) => (proxy.disturb(), proxy.reset())],
];

describe('Redis: when it fails', () => {
  const request = { limit: 100, windowMs: 10_000, reserve: 0 };
  const opened: Hints[] = [];
  let proxy: TcpProxy;

  const openHere = async (more: Partial<RedisHintsOptions> = {}): Promise<Hints> => {
    const hints = open({ url: proxy.url, ...more });
    opened.push(hints);
    await eventually(() => hints.healthy());
    return hints;
  };
  const grantedOf = async (hints: Hints, bucket: string, count: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: count }, () => hints.quotas.take(bucket, request)));
    return answers.filter(({ granted }) => granted).length;
  };

  beforeEach(async () => {
    proxy = await startTcpProxy(url);
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((hints) => hints.close()));
    proxy.close();
  });

  it.each(faults)('answers with a miss and half of the limit: %s', async (_fault, begin) => {
    const hints = await openHere(impatient);
    const key = randomUUID();
    await hints.cache.set(key, 'value', 60_000);
    begin(proxy);
    expect(await hints.cache.get(key)).toBeUndefined();
    expect(await hints.cache.getMany([key])).toBeUndefined();
    await hints.cache.set(key, 'other', 60_000);
    await hints.cache.delete(key);
    expect(await grantedOf(hints, randomUUID(), 120)).toBe(50);
    expect(await hints.healthy()).toBe(false);
  });

  it.each(faults)('uses Redis again when it is back: %s', async (_fault, begin, end) => {
    const hints = await openHere(impatient);
    begin(proxy);
    await grantedOf(hints, randomUUID(), 3);
    await end(proxy);
    await eventually(async () => (await grantedOf(hints, randomUUID(), 120)) === 100);
    const key = randomUUID();
    await eventually(async () => {
      await hints.cache.set(key, 'value', 60_000);
      return (await hints.cache.get(key)) === 'value';
    });
  });

  it('does not wait for a silent Redis more than once in a while', async () => {
    const metrics = createMetrics('silent');
    const hints = await openHere({ ...impatient, metrics });
    proxy.disturb({ silent: 'request' });
    for (let index = 0; index < 1_000; index += 1) await hints.cache.get(`key-${index}`);
    const { body } = await metrics.expose();
    const waits = Number(/^sluice_redis_failures_total\{[^}]*reason="timeout"[^}]*\} (\d+)$/m.exec(body)?.[1]);
    // One at first, and one for each second that the thousand questions take.
    expect(waits).toBeGreaterThanOrEqual(1);
    expect(waits).toBeLessThan(500);
  });

  it('counts what others were granted before Redis went away', async () => {
    const [hints, other, bucket] = [await openHere(), await openHere(), randomUUID()];
    expect(await grantedOf(other, bucket, 30)).toBe(30);
    expect(await grantedOf(hints, bucket, 1)).toBe(1);
    proxy.cut();
    expect(await grantedOf(hints, bucket, 100)).toBe(19);
  });

  it('counts what it granted by itself when Redis is back', async () => {
    const [hints, bucket] = [await openHere(), randomUUID()];
    proxy.cut();
    expect(await grantedOf(hints, bucket, 100)).toBe(50);
    await proxy.mend();
    await eventually(() => hints.healthy());
    expect(await grantedOf(hints, bucket, 100)).toBe(50);
  });

  it('holds the limit when Redis forgets', async () => {
    const [hints, bucket, client] = [await openHere(), randomUUID(), new Redis(url)];
    expect(await grantedOf(hints, bucket, 80)).toBe(80);
    await client.del(`sluice:quota:${bucket}:${request.windowMs}`);
    await client.script('FLUSH');
    expect(await grantedOf(hints, bucket, 100)).toBe(20);
    client.disconnect();
  });

  it('starts without Redis, and uses it once it is there', async () => {
    proxy.cut();
    const hints = open({ url: proxy.url });
    opened.push(hints);
    expect(await hints.cache.get('key')).toBeUndefined();
    expect((await hints.quotas.take(randomUUID(), request)).granted).toBe(true);
    expect(await hints.healthy()).toBe(false);
    await proxy.mend();
    await eventually(() => hints.healthy());
  });
});
