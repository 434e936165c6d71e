import type { Logger, Metrics } from '@sluice/telemetry';
import { LRUCache } from 'lru-cache';
import {
  type Hints,
  type Cache,
  isKept,
  type QuotaAnswer,
  type QuotaBuckets,
  type QuotaGauges,
  type QuotaRequest,
  type QuotaWindow,
} from './hints';
import { Guard, redisClient, type RedisClient } from './guard';
import { allowanceOf, slicesPerWindow, WindowBook } from './sliding-window';

export interface RedisHintsOptions {
  /** `redis://` or `rediss://`, with credentials and database number if there are any. */
  readonly url: string;
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
  const client = redisClient(options.url);
  const failures = metrics.counter('sluice_redis_failures_total');
  const guard = new Guard({ logger, failures, timeoutMs: options.timeoutMs });
  // Without a listener an error event would end the process; the guard reports what matters of it.
  client.on('error', (error) => logger.debug({ error }, 'redis.connection-failed'));
  client.on('ready', () => guard.reset());
  client.on('close', () => guard.connectionLost());
  return {
    cache: new RedisCache(client, guard, prefix),
    quotas: new RedisQuotas(client, guard, prefix),
    healthy: () => ping(client, guard),
    close: async () => client.disconnect(),
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

/** Part of a limit that a process may grant by itself while Redis does not answer. Source: design, hazard 2.19. */
const localShare = 0.5;

/**
 * Twice the longest round trip to Redis (see Guard). A grant older than the window less this may have left Redis's count
 * already, and must not be added to it again.
 */
const travelMs = 100;

/** Buckets shared by all processes, with this process's own grants for when Redis is away or was emptied. */
class RedisQuotas implements QuotaBuckets, QuotaGauges {
  private readonly book = new WindowBook();
  /** Calls that other processes were granted, as of the last reply, until they have left the window. */
  private readonly others = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly client: RedisClient,
    private readonly guard: Guard,
    private readonly prefix: string,
  ) {}

  async take(bucket: string, request: QuotaRequest): Promise<QuotaAnswer> {
    const { windowMs, cost, calls } = allowanceOf(request);
    const key = this.keyOf(bucket, windowMs);
    const own = this.book.of(bucket, windowMs);
    const granted = own.usedSince(performance.now(), windowMs - windowMs / slicesPerWindow - travelMs);
    const answer = await this.guard.send(() =>
      this.client.takeQuota(key, calls, windowMs, cost, granted, slicesPerWindow),
    );
    if (!answer.ok) return this.takeLocally(bucket, request);
    const [isGranted, retryAfterMs, used] = answer.value;
    if (isGranted === 1) own.record(performance.now(), cost);
    const others = Math.max(0, used - own.used(performance.now()));
    this.others.set(key, others, { ttl: windowMs });
    const leftRatio = isGranted === 1 ? Math.max(0, calls - used) / Math.max(1, calls) : 0;
    return { granted: isGranted === 1, retryAfterMs, leftRatio };
  }

  /** One command per bucket, all sent together: in a cluster they are on several nodes. */
  async used(windows: readonly QuotaWindow[]): Promise<readonly (number | undefined)[]> {
    if (windows.length === 0) return [];
    const answer = await this.guard.send(() =>
      Promise.all(
        windows.map(({ bucket, windowMs }) =>
          this.client.usedQuota(this.keyOf(bucket, windowMs), windowMs, slicesPerWindow),
        ),
      ),
    );
    return windows.map((_, index) => (answer.ok ? answer.value[index] : undefined));
  }

  private keyOf(bucket: string, windowMs: number): string {
    return `${this.prefix}quota:${bucket}:${windowMs}`;
  }

  private takeLocally(bucket: string, request: QuotaRequest): QuotaAnswer {
    const allowance = allowanceOf(request, localShare);
    const others = this.others.get(this.keyOf(bucket, allowance.windowMs)) ?? 0;
    return this.book.of(bucket, allowance.windowMs).take(performance.now(), allowance, others);
  }
}
