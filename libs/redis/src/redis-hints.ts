import type { Logger, Metrics } from '@sluice/telemetry';
import { Redis } from 'ioredis';
import { allowanceOf, type Hints } from './hints';
import { createLocalBuckets } from './in-memory-hints';

export interface RedisHintsOptions {
  /** `redis://…`. Secret. */
  readonly url: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Longest wait for Redis: a hint that takes longer is worth less than none. Source: design, section 5. */
const commandTimeoutMs = 50;
/** How long Redis is left alone after a failure. */
const openForMs = 1_000;
const prefix = 'sluice:';

/**
 * A sliding log in a sorted set: score is the moment, by Redis' own clock, so that all processes count in one time.
 * Returns 0 when granted, else the milliseconds until the call that makes room leaves the window.
 */
const takeScript = `
local now = redis.call('TIME')
local nowMs = now[1] * 1000 + math.floor(now[2] / 1000)
local windowMs, allowance = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', nowMs - windowMs)
local count = redis.call('ZCARD', KEYS[1])
if count < allowance then
  redis.call('ZADD', KEYS[1], nowMs, nowMs .. ':' .. now[2] .. ':' .. count .. ':' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], windowMs)
  return 0
end
local leaving = redis.call('ZRANGE', KEYS[1], count - allowance, count - allowance, 'WITHSCORES')
return math.max(1, tonumber(leaving[2]) + windowMs - nowMs + 1)
`;

/** Hints on Redis. Redis may be away at the start and at any time: callers see misses and halved quotas, never an error. */
export function createRedisHints(options: RedisHintsOptions): Hints {
  const { logger, metrics } = options;
  const client = new Redis(options.url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(2_000, 50 * 2 ** attempt),
  });
  const failures = metrics.counter('sluice_redis_failures_total', 'Hints that Redis did not give.');
  const local = createLocalBuckets(0.5);
  let closedUntilMs = 0;
  let serial = 0;
  client.on('error', (error) => logger.debug({ reason: error.message }, 'redis.connection-failed'));

  const ask = async <T>(question: () => Promise<T>, fallback: T): Promise<T> => {
    if (performance.now() < closedUntilMs) return fallback;
    try {
      return await question();
    } catch (error) {
      closedUntilMs = performance.now() + openForMs;
      failures.inc();
      logger.warn({ reason: error instanceof Error ? error.message : String(error) }, 'redis.unavailable');
      return fallback;
    }
  };
  return {
    cache: {
      get: (key) => ask(async () => (await client.get(prefix + key)) ?? undefined, undefined),
      set: (key, value, ttlMs) =>
        ask(async () => void (await client.set(prefix + key, value, 'PX', Math.max(1, Math.round(ttlMs)))), undefined),
      delete: (key) => ask(async () => void (await client.del(prefix + key)), undefined),
    },
    quotas: {
      take: async (bucket, request) => {
        const member = `${process.pid}:${(serial += 1)}`;
        const values = [request.windowMs, allowanceOf(request), member];
        const waitMs = await ask(() => client.eval(takeScript, 1, `${prefix}quota:${bucket}`, ...values), undefined);
        if (typeof waitMs !== 'number') return await local.take(bucket, request);
        return { granted: waitMs === 0, retryAfterMs: waitMs };
      },
    },
    healthy: async () => (await ask(() => client.ping(), 'no answer')) === 'PONG',
    close: async () => {
      client.disconnect();
      await Promise.resolve();
    },
  };
}
