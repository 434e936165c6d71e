import { LRUCache } from 'lru-cache';
import { allowanceOf, slicesPerWindow, WindowBook } from '../sliding-window';
import type { QuotaAnswer, QuotaBuckets, QuotaGauges, QuotaRequest, QuotaWindow } from '../hints';
import type { Guard, RedisClient } from './guard';

/** Part of a limit that a process may grant by itself while Redis does not answer. Source: design, hazard 2.19. */
const localShare = 0.5;

/**
 * Longest way to Redis and back, twice (see Guard). A grant older than the window less this may have left Redis's count
 * already, and must not be added to it again.
 */
const travelMs = 100;

/** Buckets shared by all processes, with a book of this process's own grants for when Redis is away or was emptied. */
export class RedisQuotas implements QuotaBuckets, QuotaGauges {
  private readonly book = new WindowBook();
  /** Calls that others were granted, as of the last answer, until they have left the window. */
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
    const answer = await this.guard.ask(() =>
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

  /** One question per bucket, all sent together: in a cluster they lie on several nodes. */
  async used(windows: readonly QuotaWindow[]): Promise<readonly (number | undefined)[]> {
    if (windows.length === 0) return [];
    const answer = await this.guard.ask(() =>
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
