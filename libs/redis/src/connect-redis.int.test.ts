import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { env } from 'node:process';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startTcpProxy, type TcpProxy } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { describeHints, eventually } from '../test/conformance';
import type { CacheAndQuotas } from './cache-and-quotas';
import { connectRedis, type RedisOptions } from './connect-redis';

const url = env['REDIS_URL'] ?? '';

/** Patient, so that a busy machine does not look like a Redis that is away; the tests of silence are not. */
function open(more: Partial<RedisOptions> = {}): CacheAndQuotas {
  return connectRedis({ url, logger: silentLogger, metrics: createMetrics('redis'), timeoutMs: 5_000, ...more });
}

const impatient = { timeoutMs: 250 };

describeHints('Redis', async () => {
  const opened: CacheAndQuotas[] = [];
  return {
    open: async () => {
      const redis = open();
      opened.push(redis);
      await eventually(() => redis.healthy());
      return redis;
    },
    dispose: async () => void (await Promise.all(opened.map((redis) => redis.close()))),
  };
});

describe('Redis: what is stored', () => {
  it('has a prefix and an end of life on every key', async () => {
    const prefix = `test-${randomUUID()}:`;
    const redis = open({ prefix });
    const client = new Redis(url);
    await eventually(() => redis.healthy());
    await redis.cache.set('key', 'value', 5_000);
    await redis.quotas.take('bucket', { limit: 10, windowMs: 5_000 });
    const keys = (await client.keys(`${prefix}*`)).toSorted();
    // With what the check of the health writes, for a second.
    expect(keys.filter((key) => !key.startsWith(`${prefix}health:`))).toEqual([
      `${prefix}cache:key`,
      `${prefix}quota:bucket:5000`,
    ]);
    for (const key of keys) {
      const ttlMs = await client.pttl(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual(5_500);
    }
    await redis.close();
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
  const opened: CacheAndQuotas[] = [];
  let proxy: TcpProxy;

  const openHere = async (more: Partial<RedisOptions> = {}): Promise<CacheAndQuotas> => {
    const redis = open({ url: proxy.url, ...more });
    opened.push(redis);
    await eventually(() => redis.healthy());
    return redis;
  };
  const grantedOf = async (redis: CacheAndQuotas, bucket: string, count: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: count }, () => redis.quotas.take(bucket, request)));
    return answers.filter(({ granted }) => granted).length;
  };

  beforeEach(async () => {
    proxy = await startTcpProxy(url);
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((redis) => redis.close()));
    proxy.close();
  });

  it.each(faults)('answers with a miss and half of the limit: %s', async (_fault, begin) => {
    const redis = await openHere(impatient);
    const key = randomUUID();
    await redis.cache.set(key, 'value', 60_000);
    begin(proxy);
    expect(await redis.cache.get(key)).toBeUndefined();
    expect(await redis.cache.getMany([key])).toBeUndefined();
    await redis.cache.set(key, 'other', 60_000);
    expect(await grantedOf(redis, randomUUID(), 120)).toBe(50);
    expect(await redis.healthy()).toBe(false);
  });

  it.each(faults)('uses Redis again when it is back: %s', async (_fault, begin, end) => {
    const redis = await openHere(impatient);
    begin(proxy);
    await grantedOf(redis, randomUUID(), 3);
    await end(proxy);
    await eventually(async () => (await grantedOf(redis, randomUUID(), 120)) === 100);
    const key = randomUUID();
    await eventually(async () => {
      await redis.cache.set(key, 'value', 60_000);
      return (await redis.cache.get(key)) === 'value';
    });
  });

  it('does not wait for a silent Redis more than once in a while', async () => {
    const metrics = createMetrics('silent');
    const redis = await openHere({ ...impatient, metrics });
    proxy.disturb({ silent: 'request' });
    for (let index = 0; index < 1_000; index += 1) await redis.cache.get(`key-${index}`);
    const { body } = await metrics.expose();
    const waits = Number(/^sluice_redis_failures_total\{[^}]*reason="timeout"[^}]*\} (\d+)$/m.exec(body)?.[1]);
    // One at first, and one for each second that the thousand questions take.
    expect(waits).toBeGreaterThanOrEqual(1);
    expect(waits).toBeLessThan(500);
  });

  it('counts what others were granted before Redis went away', async () => {
    const [redis, other, bucket] = [await openHere(), await openHere(), randomUUID()];
    expect(await grantedOf(other, bucket, 30)).toBe(30);
    expect(await grantedOf(redis, bucket, 1)).toBe(1);
    proxy.cut();
    expect(await grantedOf(redis, bucket, 100)).toBe(19);
  });

  it('counts what it granted by itself when Redis is back', async () => {
    const [redis, bucket] = [await openHere(), randomUUID()];
    proxy.cut();
    expect(await grantedOf(redis, bucket, 100)).toBe(50);
    await proxy.mend();
    await eventually(() => redis.healthy());
    expect(await grantedOf(redis, bucket, 100)).toBe(50);
  });

  it('holds the limit when Redis forgets', async () => {
    const [redis, bucket, client] = [await openHere(), randomUUID(), new Redis(url)];
    expect(await grantedOf(redis, bucket, 80)).toBe(80);
    await client.del(`sluice:quota:${bucket}:${request.windowMs}`);
    await client.script('FLUSH');
    expect(await grantedOf(redis, bucket, 100)).toBe(20);
    client.disconnect();
  });

  it('starts without Redis, and uses it once it is there', async () => {
    proxy.cut();
    const redis = open({ url: proxy.url });
    opened.push(redis);
    expect(await redis.cache.get('key')).toBeUndefined();
    expect((await redis.quotas.take(randomUUID(), request)).granted).toBe(true);
    expect(await redis.healthy()).toBe(false);
    await proxy.mend();
    await eventually(() => redis.healthy());
  });
});

/** A server that refuses every command with a line, until it leads to Redis: connections that it has stay as they are, as those of an old primary do. */
async function startRefusing(line: string) {
  const sockets = new Set<Socket>();
  let [isOld, connections] = [true, 0];
  const server = createServer((client) => {
    connections += 1;
    sockets.add(client.on('error', () => undefined).on('close', () => sockets.delete(client)));
    if (isOld) {
      // A command is an array, whose first line begins with a star.
      client.on('data', (bytes) =>
        client.write(`${line}\r\n`.repeat(bytes.toString().match(/^\*\d+\r$/gm)?.length ?? 0)),
      );
      return;
    }
    const upstream = connect(Number(new URL(url).port), new URL(url).hostname).on('error', () => undefined);
    sockets.add(upstream);
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    leadToRedis: () => void (isOld = false),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('Redis: when it answers and refuses', () => {
  /** Hints of a server that refuses, and what they logged as warnings. */
  async function openRefused(line: string) {
    const server = await startRefusing(line);
    const warned: { word?: string; remedy?: string }[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
    const redis = open({ url: server.url, logger });
    const close = async () => {
      await redis.close();
      server.close();
    };
    return { server, redis, warned, close };
  }

  // One side takes the commands; the other is where the name leads after a failover.
  it.each([
    "-READONLY You can't write against a read only replica.",
    "-ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write against a read only replica.",
  ])('connects anew, and works again once the name leads to the primary: %s', async (line) => {
    const { server, redis, warned, close } = await openRefused(line);
    await eventually(async () => (await redis.health())?.reason === 'refuses a write (READONLY)');
    await eventually(async () => {
      await redis.cache.set('key', 'value', 60_000);
      return server.connections() > 1;
    });
    server.leadToRedis();
    const key = randomUUID();
    await eventually(async () => {
      await redis.cache.set(key, 'value', 60_000);
      return (await redis.cache.get(key)) === 'value';
    });
    expect(await redis.health()).toBeUndefined();
    expect(warned.filter(({ word }) => word !== undefined)).toEqual([
      expect.objectContaining({ word: 'READONLY', remedy: expect.stringContaining('primary') }),
    ]);
    await close();
  });

  it.each([
    ['-MOVED 7572 10.0.0.7:6379', 'MOVED', /cluster/],
    ["-CROSSSLOT Keys in request don't hash to the same slot", 'CROSSSLOT', /cluster/],
    ['-CLUSTERDOWN Hash slot not served', 'CLUSTERDOWN', /cluster/],
    ['-NOAUTH Authentication required.', 'NOAUTH', /password/],
    ["-NOPERM User default has no permissions to run the 'set' command", 'NOPERM', /user/],
    ['-LOADING Redis is loading the dataset in memory', 'LOADING', /by itself/],
    ["-OOM command not allowed when used memory > 'maxmemory'.", 'OOM', /maxmemory/],
    [
      '-MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
      'MISCONF',
      /disk/,
    ],
    ['-NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS', /replicas/],
    ['-WEIRD something of a newer version', 'WEIRD', /words of Redis/],
  ])('%s is said once as a warning, with its remedy, however often it is refused', async (line, word, remedy) => {
    const { redis, warned, close } = await openRefused(line);
    await eventually(async () => (await redis.health())?.reason === `refuses a write (${word})`);
    for (let times = 0; times < 40; times += 1) await redis.cache.set(`key-${times}`, 'value', 1_000);
    const refused = warned.filter((fields) => fields.word !== undefined);
    expect(refused).toEqual([expect.objectContaining({ word, remedy: expect.stringMatching(remedy) })]);
    expect((await redis.health())?.remedy).toMatch(remedy);
    await close();
  });
});
