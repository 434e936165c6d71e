import type { Logger, Metrics } from '@sluice/telemetry';
import { type Hints, type Cache, isKept } from './hints';
import { Guard, redisClient, type RedisCertificates, type RedisClient } from './guard';
import { RedisQuotas } from './redis-quotas';

export interface RedisHintsOptions {
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

/** Readiness may wait longer than a hint: it is checked rarely, and no request waits for it. */
const pingMs = 500;

/** Hints shared through Redis. Connects in the background; nothing here needs Redis to be there. */
export function createRedisHints(options: RedisHintsOptions): Hints {
  const { logger, metrics, prefix = 'sluice:' } = options;
  const client = redisClient(options.url, options.tls);
  const failures = metrics.counter('sluice_redis_failures_total');
  const guard = new Guard({ logger, failures, timeoutMs: options.timeoutMs });
  // Without a listener an error event would end the process; the guard reports what matters of it.
  client.on('error', (error) => logger.debug({ error }, 'redis.connection-failed'));
  client.on('ready', () => guard.reset());
  client.on('close', () => guard.connectionLost());
  const quotas = new RedisQuotas(client, guard, prefix);
  return {
    cache: new RedisCache(client, guard, prefix),
    quotas,
    healthy: () => ping(client, guard),
    close: async () => {
      await quotas.returnLeases();
      client.disconnect();
    },
  };
}

async function ping(client: RedisClient, guard: Guard): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), pingMs);
  });
  const answer = client.ping().then(
    () => true,
    () => false,
  );
  const isHealthy = await Promise.race([answer, silence]).finally(() => clearTimeout(timer));
  if (isHealthy) guard.reset();
  return isHealthy;
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
    if (!isKept(value, ttlMs)) return this.delete(key);
    await this.guard.send(() => this.client.set(this.name(key), value, 'PX', Math.floor(ttlMs)));
  }

  async delete(key: string): Promise<void> {
    await this.guard.send(() => this.client.del(this.name(key)));
  }

  private name(key: string): string {
    return `${this.prefix}cache:${key}`;
  }
}
