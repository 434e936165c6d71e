import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Logger, Metrics } from '@sluice/telemetry';
import type { CacheAndQuotas, Cache } from './cache-and-quotas';
import { Guard, redisClient, refusalOf, type RedisCertificates, type RedisClient } from './guard';
import { RedisQuotas } from './redis-quotas';

export interface RedisOptions {
  /** `redis://` or `rediss://`, with credentials and database number if there are any. */
  readonly url: string;
  /** For `rediss://`. @default the public authorities, and no certificate of its own */
  readonly tls?: RedisCertificates;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Put before every key, so that stacks can share a Redis. @default 'sluice:' */
  readonly prefix?: string;
  /** Longest wait for one reply, in milliseconds. @default 50 */
  readonly timeoutMs?: number;
}

/** A check may wait longer than a hint: it is made rarely, and no request waits for it. */
const checkMs = 500;
/** How long what a check writes is kept, in milliseconds. */
const keptMs = 1_000;

/** Hints shared through Redis. Connects in the background; nothing here needs Redis to be there. */
export function connectRedis(options: RedisOptions): CacheAndQuotas {
  const { logger, metrics, prefix = 'sluice:' } = options;
  const client = redisClient(options.url, options.tls);
  const failures = metrics.counter('sluice_redis_failures_total');
  const guard = new Guard({ logger, failures, timeoutMs: options.timeoutMs });
  // Without a listener an error event would end the process; the guard reports what matters of it.
  client.on('error', (error) => {
    if (error.name === 'ReplyError') guard.refused(error);
    else logger.debug({ error }, 'redis.connection-failed');
  });
  client.on('ready', () => guard.reset());
  client.on('close', () => guard.connectionLost());
  const quotas = new RedisQuotas(client, guard, prefix);
  return {
    cache: new RedisCache(client, guard, prefix),
    quotas,
    healthy: async () => (await check(client, guard, prefix)) === undefined,
    health: () => check(client, guard, prefix),
    close: async () => {
      await quotas.returnLeases();
      client.disconnect();
    },
  };
}

const silent: Fault = {
  reason: 'does not answer',
  remedy: 'Check that Redis runs at REDIS_URL, is reached from here, and has connections left (maxclients).',
};

/**
 * Uses Redis as work does. It writes a value, reads two keys at once, which a cluster refuses, and takes a call by the script, which may need rights
 * of its own. A database that was refused is named again: until then the client uses database 0. A client that still connects is waited for.
 */
async function check(client: RedisClient, guard: Guard, prefix: string): Promise<Fault | undefined> {
  const waiting = new AbortController();
  const silence = sleep(checkMs, silent, { signal: waiting.signal }).catch(() => silent);
  const key = `${prefix}health:${randomUUID()}`;
  const use = async (): Promise<Fault | undefined> => {
    if (client.status !== 'ready') await once(client, 'ready', { signal: waiting.signal });
    const taken = client.takeQuota(`${key}:3`, 1, keptMs, 1, 0, 1, 0, 0, 0, 0);
    const selected = client.options.db ? client.select(client.options.db) : undefined;
    await Promise.all([selected, client.set(key, '', 'PX', keptMs), client.mget(key, `${key}:2`), taken]);
    return undefined;
  };
  const failed = (error: unknown): Fault => {
    if ((error as Error).name !== 'ReplyError') return silent;
    guard.refused(error);
    const { word, remedy } = refusalOf(error);
    return { reason: `refuses a write (${word})`, remedy };
  };
  const fault = await Promise.race([use().catch(failed), silence]).finally(() => waiting.abort());
  if (fault === undefined) guard.wellAgain();
  return fault;
}

/** Values shared by all processes. Every key has a time to live. */
class RedisCache implements Cache {
  constructor(
    private readonly client: RedisClient,
    private readonly guard: Guard,
    private readonly prefix: string,
  ) {}

  async get(key: string): Promise<string | undefined> {
    const answer = await this.guard.send(() => this.client.get(this.name(key)));
    return answer.ok ? (answer.value ?? undefined) : undefined;
  }

  async getMany(keys: readonly string[]): Promise<readonly (string | undefined)[] | undefined> {
    // Redis refuses the command without keys.
    if (keys.length === 0) return [];
    const answer = await this.guard.send(() => this.client.mget(keys.map((key) => this.name(key))));
    return answer.ok ? answer.value.map((value) => value ?? undefined) : undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await this.guard.send(() => this.client.set(this.name(key), value, 'PX', Math.floor(ttlMs)));
  }

  private name(key: string): string {
    return `${this.prefix}cache:${key}`;
  }
}
