import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { env } from 'node:process';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { startTcpProxy } from '@sluice/testkit';
import { Redis } from 'ioredis';
import { eventually } from '../test/conformance';
import type { CacheAndQuotas } from './cache-and-quotas';
import { connectRedis } from './connect-redis';

const url = env['REDIS_URL'] ?? '';
/** A lease lasts a tenth of it: longer than a busy machine takes for any test here. */
const windowMs = 60_000;
const request = { limit: 100, windowMs, reserve: 0, isLeasable: true };

const opened: CacheAndQuotas[] = [];
async function open(at = url): Promise<CacheAndQuotas> {
  const redis = connectRedis({ url: at, logger: silentLogger, metrics: createMetrics('redis'), timeoutMs: 5_000 });
  opened.push(redis);
  await eventually(() => redis.healthy());
  return redis;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((redis) => redis.close()));
});

const usedOf = async (redis: CacheAndQuotas, bucket: string, ofMs = windowMs) =>
  (await redis.quotas.used([{ bucket, windowMs: ofMs }]))[0];

/** One after the other, as a lane is used. @returns how many were granted */
async function takeOneByOne(redis: CacheAndQuotas, bucket: string, count: number, more: object = {}): Promise<number> {
  let granted = 0;
  for (let at = 0; at < count; at += 1) {
    if ((await redis.quotas.take(bucket, { ...request, ...more })).granted) granted += 1;
  }
  return granted;
}

/** The whole of the limit, by whoever may have it now. */
async function takeAll(redis: CacheAndQuotas, bucket: string, more: object = {}): Promise<number> {
  const asked = Array.from({ length: 120 }, () =>
    redis.quotas.take(bucket, { ...request, ...more, isLeasable: false }),
  );
  return (await Promise.all(asked)).filter(({ granted }) => granted).length;
}

// Takes as a process of ours does, and dies as of `kill -9` while it holds a block: of 1, 2 and 4 calls it has made 1, 2 and 1.
const program = `
  const { writeSync } = require('node:fs');
  const { connectRedis } = require('@sluice/redis');
  const { createMetrics, silentLogger } = require('@sluice/telemetry');
  const [url, bucket, request] = process.argv.slice(1);
  const redis = connectRedis({ url, logger: silentLogger, metrics: createMetrics('dying'), timeoutMs: 5_000 });
  const run = async () => {
    while (!(await redis.healthy())) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let at = 0; at < 7; at += 1) {
      if ((await redis.quotas.take(bucket, JSON.parse(request))).granted) writeSync(1, '.');
    }
    process.kill(process.pid, 'SIGKILL');
  };
  void run();
`;

function takeUntilDeath(bucket: string, of: object): number {
  const args = ['-e', program, url, bucket, JSON.stringify(of)];
  const { stdout, stderr, signal } = spawnSync(process.execPath, args, {
    cwd: __dirname,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (signal !== 'SIGKILL') throw new Error(`the process did not die: ${stderr}`);
  return stdout.length;
}

describe('calls that are leased in blocks', () => {
  it('double with use, and never are more than a tenth of what the limit leaves', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    const held: number[] = [];
    for (let made = 1; made <= 60; made += 1) {
      expect(await takeOneByOne(redis, bucket, 1)).toBe(1);
      const used = (await usedOf(redis, bucket)) ?? 0;
      held.push(used - made);
      expect(used - made).toBeLessThanOrEqual((request.limit - made) / 10);
    }
    expect(held.slice(0, 7)).toEqual([1, 0, 2, 1, 0, 4, 3]);
  });

  it('cost one question to Redis for many calls', async () => {
    const proxy = await startTcpProxy(url);
    const [redis, bucket] = [await open(proxy.url), randomUUID()];
    expect(await takeOneByOne(redis, bucket, 7)).toBe(7);
    proxy.disturb({ silent: 'request' });
    const startedAtMs = performance.now();
    expect(await takeOneByOne(redis, bucket, 3)).toBe(3);
    // Nobody was asked: a silent Redis is waited for.
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    proxy.close();
  });

  it('are none of a small limit', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    expect(await takeOneByOne(redis, bucket, 12, { limit: 49 })).toBe(12);
    expect(await usedOf(redis, bucket)).toBe(12);
  });

  it('are returned by a process that stops', async () => {
    const [redis, other, bucket] = [await open(), await open(), randomUUID()];
    await takeOneByOne(redis, bucket, 7);
    expect(await usedOf(other, bucket)).toBe(10);
    await redis.close();
    expect(await usedOf(other, bucket)).toBe(7);
    expect(await takeAll(other, bucket)).toBe(93);
  });

  it('go back unused with the next call after their lease', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    const short = { windowMs: 1_000, limit: 1_000 };
    await takeOneByOne(redis, bucket, 7, short);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await takeOneByOne(redis, bucket, 1, short);
    // The three that were left are back, and as many as the last lease used are leased anew.
    expect(await usedOf(redis, bucket, 1_000)).toBeLessThanOrEqual(9);
  });

  // What it held may have been sent for all that anybody knows, until the end of its lease: then the window passes, and all of it is there again.
  it('of a process that was killed are granted to nobody while they may be in use, and come back', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    const short = { ...request, windowMs: 10_000 };
    expect(takeUntilDeath(bucket, short)).toBe(7);
    expect(await usedOf(redis, bucket, short.windowMs)).toBe(10);
    expect(await takeAll(redis, bucket, short)).toBe(90);
    await eventually(async () => (await usedOf(redis, bucket, short.windowMs)) === 0, 100);
    expect(await takeAll(redis, bucket, short)).toBe(100);
  });

  it('hold the limit when Redis goes away with a block in use', async () => {
    const proxy = await startTcpProxy(url);
    const [redis, other, bucket] = [await open(proxy.url), await open(), randomUUID()];
    expect(await takeOneByOne(other, bucket, 40)).toBe(40);
    const before = await takeOneByOne(redis, bucket, 7);
    proxy.cut();
    const away = await takeOneByOne(redis, bucket, 100);
    expect(before + away + 40).toBeLessThanOrEqual(100);
    expect(away).toBeGreaterThanOrEqual(3);
    proxy.close();
  });

  it('hold the limit when Redis forgets', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    await takeOneByOne(redis, bucket, 47);

    const client = new Redis(url);
    await client.del(`sluice:quota:${bucket}:${windowMs}`);
    client.disconnect();
    expect(47 + (await takeOneByOne(redis, bucket, 100))).toBeLessThanOrEqual(100);
  });

  it('are not used once the provider refuses', async () => {
    const [redis, bucket] = [await open(), randomUUID()];
    await takeOneByOne(redis, bucket, 7);
    await redis.quotas.exhaust(bucket, request, 2_000);
    expect(await takeOneByOne(redis, bucket, 3)).toBe(0);
  });
});
