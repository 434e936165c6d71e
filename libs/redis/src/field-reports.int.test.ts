import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env, stderr } from 'node:process';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startTcpProxy } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { eventually } from '../test/conformance';
import type { CacheAndQuotas } from './cache-and-quotas';
import { connectRedis } from './connect-redis';

// What failed for other users of Redis, each as an input. The rows of docs/providers/field-reports.md name these tests and their sources. The server is the
// suite's own, because what is set here would break every other one.

const program = ['redis-server', 'redis-check-rdb']
  .flatMap((name) => (env['PATH'] ?? '').split(delimiter).map((path) => join(path, name)))
  .find((file) => existsSync(file));
if (program === undefined) stderr.write('NOT CHECKED: field reports of Redis need redis-server on this machine.\n');

interface Warning {
  readonly event: string;
  readonly word?: string;
  readonly remedy?: string;
}

const request = { limit: 10, windowMs: 60_000, reserve: 0 };

(program === undefined ? describe.skip : describe)('Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  const opened: CacheAndQuotas[] = [];
  let server: ChildProcess;
  let admin: Redis;
  let port: number;
  let buckets = 0;

  beforeAll(async () => {
    port = await freePort();
    const options = ['--port', String(port), '--dir', folder, '--save', '', '--databases', '2'];
    // Debian's other name for it does what it is called.
    server = spawn(program ?? '', options, { argv0: 'redis-server', stdio: 'ignore' });
    admin = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
    // What is not there yet refuses the connection.
    admin.on('error', () => undefined);
    await admin.ping();
  });
  afterEach(async () => void (await Promise.all(opened.splice(0).map((redis) => redis.close()))));
  afterAll(async () => {
    admin.disconnect();
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Hints, and what they said as warnings. @param user as in a URL */
  function open({ user = '', database = '', at = port, timeoutMs = 5_000 } = {}) {
    const warned: Warning[] = [];
    const warn = (fields: object, event: string) => void warned.push({ ...fields, event });
    const redis = connectRedis({
      url: `redis://${user}127.0.0.1:${at}/${database}`,
      metrics: createMetrics('redis'),
      logger: { ...silentLogger, warn },
      timeoutMs,
    });
    opened.push(redis);
    return { redis, warned };
  }
  const grantedOf = async (redis: CacheAndQuotas, bucket: string, count: number): Promise<number> => {
    const answers = await Promise.all(Array.from({ length: count }, () => redis.quotas.take(bucket, request)));
    return answers.filter(({ granted }) => granted).length;
  };
  const newBucket = (): string => `bucket-${(buckets += 1)}`;
  const saysWhile = (redis: CacheAndQuotas, word: string) =>
    eventually(async () => (await redis.health())?.reason === `refuses a write (${word})`);
  const isWell = (redis: CacheAndQuotas) => eventually(async () => (await redis.health()) === undefined);
  const allow = (name: string, ...rules: string[]) => admin.acl('SETUSER', name, 'on', '>p', '~*', ...rules);

  /** What is refused, and how it shows: degraded with the word, one warning with its remedy, half of the limit; then well without a restart. */
  async function expectRefusal(
    word: string,
    remedy: RegExp,
    begin: () => Promise<unknown>,
    end: () => Promise<unknown>,
  ) {
    const { redis, warned } = open();
    await isWell(redis);
    try {
      await begin();
      await saysWhile(redis, word);
      expect(await grantedOf(redis, newBucket(), 20)).toBe(5);
    } finally {
      await end();
    }
    await isWell(redis);
    expect(await grantedOf(redis, newBucket(), 20)).toBe(10);
    expect(warned.filter((line) => line.word === word)).toEqual([
      expect.objectContaining({ remedy: expect.stringMatching(remedy) }),
    ]);
  }
  const set = (name: string, value: string) => () => admin.config('SET', name, value);

  test('R1: a full memory that evicts nothing', () =>
    expectRefusal('OOM', /maxmemory/, set('maxmemory', '1'), set('maxmemory', '0')));

  test('R2: a primary that was made a replica under an open connection', () =>
    expectRefusal(
      'READONLY',
      /primary/,
      () => admin.replicaof('127.0.0.1', '1'),
      () => admin.replicaof('NO', 'ONE'),
    ));

  test('R3: a replica without its primary', async () => {
    await admin.config('SET', 'replica-serve-stale-data', 'no');
    await expectRefusal(
      'MASTERDOWN',
      /primary/,
      () => admin.replicaof('127.0.0.1', '1'),
      () => admin.replicaof('NO', 'ONE'),
    );
  });

  test('R4: too few replicas after a failover', () =>
    expectRefusal('NOREPLICAS', /replicas/, set('min-replicas-to-write', '1'), set('min-replicas-to-write', '0')));

  test('R5: a disk that takes no snapshot', () =>
    expectRefusal(
      'MISCONF',
      /disk/,
      async () => {
        // A folder of that name cannot be replaced by the file.
        mkdirSync(join(folder, 'dump.rdb'));
        await admin.config('SET', 'save', '3600 1');
        await admin.set('key', 'value');
        await admin.bgsave();
      },
      set('save', ''),
    ));

  test('R6: a script of somebody else that does not end', async () => {
    await admin.config('SET', 'lua-time-limit', '10');
    const other = new Redis(port, '127.0.0.1');
    let script: Promise<unknown> | undefined;
    await expectRefusal(
      'BUSY',
      /SCRIPT KILL/,
      async () => void (script = other.eval('while true do end', 0).catch(() => undefined)),
      async () => {
        await admin.script('KILL');
        await script;
      },
    );
    other.disconnect();
  });

  test('R7: scripts that Redis forgot, under an open connection', async () => {
    const { redis, warned } = open();
    await isWell(redis);
    const bucket = newBucket();
    expect(await grantedOf(redis, bucket, 4)).toBe(4);
    await admin.script('FLUSH');
    expect(await grantedOf(redis, bucket, 20)).toBe(6);
    expect(warned).toEqual([]);
  });

  // Every value was stored, so the health was well; every process granted half of the limit by itself.
  test.each([
    ['R8: a user without scripts', ['+@read', '+@write', '+@connection', '-@scripting']],
    ['R8: a user without a command inside the script', ['+@all', '-hincrby']],
    ['R8: a user without the clock', ['+@all', '-time']],
    ['R8: a user without the keys', ['+@all', 'resetkeys', '~other:*']],
  ])('%s is degraded', async (title, rules) => {
    const user = title.replaceAll(/\W/g, '');
    await allow(user, ...rules);
    const { redis } = open({ user: `${user}:p@` });
    await eventually(async () => (await redis.health())?.remedy.includes('use all commands') === true);
    expect(await grantedOf(redis, newBucket(), 20)).toBe(5);
  });

  test('R9: a user without INFO, CLIENT and CONFIG is enough', async () => {
    await allow('plain', '+@all', '-info', '-@admin', '-@dangerous', '-client');
    const { redis, warned } = open({ user: 'plain:p@' });
    await isWell(redis);
    expect(await grantedOf(redis, newBucket(), 20)).toBe(10);
    expect(warned).toEqual([]);
  });

  // ioredis goes on with database 0, which may be another stack's.
  test('R10: a database that this Redis does not have', async () => {
    const { redis, warned } = open({ database: '7' });
    await saysWhile(redis, 'DB index is out of range');
    expect(warned[0]?.remedy).toMatch(/database 0 is used: leave its number out/);
    await isWell(open({ database: '1' }).redis);
  });

  test('R11: no connection left is not told as an address that is wrong', async () => {
    await admin.config('SET', 'maxclients', '1');
    const { redis } = open({ timeoutMs: 250 });
    expect(await redis.health()).toMatchObject({ remedy: expect.stringContaining('maxclients') });
    await admin.config('SET', 'maxclients', '1000');
    await isWell(redis);
  });

  test('R12: what is asked of a silent Redis does not pile up', async () => {
    const proxy = await startTcpProxy(`redis://127.0.0.1:${port}`);
    const { redis } = open({ at: Number(new URL(proxy.url).port), timeoutMs: 100 });
    await isWell(redis);
    proxy.disturb({ silent: 'reply' });
    await redis.cache.get('first');
    await Promise.all(Array.from({ length: 5_000 }, (_, index) => redis.cache.get(`key-${index}`)));
    const { length } = (await admin.info('commandstats')).match(/cmdstat_get:calls=\d+/g) ?? [];
    expect(length).toBe(1);
    expect(Number(/cmdstat_get:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1])).toBeLessThan(50);
    proxy.close();
  });

  test('R13: a password that was changed', async () => {
    await allow('changed', '+@all');
    const { redis, warned } = open({ user: 'changed:p@' });
    await isWell(redis);
    await admin.acl('SETUSER', 'changed', 'resetpass', '>q');
    await admin.client('KILL', 'USER', 'changed');
    await saysWhile(redis, 'WRONGPASS');
    await admin.acl('SETUSER', 'changed', '>p');
    await isWell(redis);
    expect(warned.filter(({ word }) => word !== undefined).map(({ word }) => word)).toEqual(['WRONGPASS']);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
