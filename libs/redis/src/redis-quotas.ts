import { LRUCache } from 'lru-cache';
import type { QuotaAnswer, QuotaBuckets, QuotaGauges, QuotaRequest, QuotaWindow } from './cache-and-quotas';
import type { Guard, RedisClient } from './guard';

/** Part of a limit that a process may grant by itself while Redis does not answer. Source: design, hazard 2.19. */
const localShare = 0.5;

/**
 * Twice the longest round trip to Redis (see Guard). A grant older than the window less this may have left Redis's count
 * already, and must not be added to it again.
 */
const travelMs = 100;

/** A tenth of a smaller limit is a few calls: too few to save anything, and enough to be missed elsewhere. Source: ADR 30. */
const leasableLimitMin = 50;
/** A lease lasts for this part of its window, a second of HubSpot's ten: what a killed process held is missed for that much longer. */
const leaseShare = 0.1;
/** Buckets with a lease at once. One that is forgotten comes back by its end. */
const leasesMax = 10_000;

/** Calls that Redis counts already and this process may still make, until `untilMs`. */
interface Lease {
  readonly key: string;
  readonly windowMs: number;
  /** When it was granted, and when it ends, both monotonic. */
  readonly atMs: number;
  readonly untilMs: number;
  /** Slice of Redis's count that it stands in. */
  readonly slice: number;
  readonly size: number;
  left: number;
  /** Part of the limit that is left when all of the lease is used, and what one call of it is. */
  readonly leftRatio: number;
  readonly callRatio: number;
}

/**
 * Buckets shared by all processes, with this process's own grants for when Redis is away or was emptied. A bucket that is used again and again is
 * leased from in blocks: what is used of a block grows the next one, up to a tenth of what the limit leaves. The limit holds in any window all the
 * same, because Redis counts a block from the end of its lease. Calls that are not used go back with the next request, on close, or by themselves.
 */
export class RedisQuotas implements QuotaBuckets, QuotaGauges {
  private readonly book = new WindowBook();
  /** Calls that other processes were granted, as of the last reply, until they have left the window. */
  private readonly others = new LRUCache<string, number>({ max: 10_000 });
  /** By bucket and allowance: the last lease, also one that has ended and has something to return. */
  private readonly leases = new LRUCache<string, Lease>({ max: leasesMax });
  /** Of these a lease is under way: one process asks for one at a time. */
  private readonly leasing = new Set<string>();

  constructor(
    private readonly client: RedisClient,
    private readonly guard: Guard,
    private readonly prefix: string,
  ) {}

  async take(bucket: string, request: QuotaRequest): Promise<QuotaAnswer> {
    const { windowMs, cost, calls } = allowanceOf(request);
    const key = this.keyOf(bucket, windowMs);
    const name = leaseName(key, calls);
    const lease = this.leases.get(name);
    if (lease !== undefined && lease.left >= cost && performance.now() < lease.untilMs)
      return this.takeLeased(lease, cost);
    const isLeasing = request.isLeasable === true && calls >= leasableLimitMin && !this.leasing.has(name);
    if (!isLeasing) return await this.takeShared(bucket, request, { key, wanted: 0, unused: undefined });
    this.leasing.add(name);
    this.leases.delete(name);
    try {
      return await this.takeShared(bucket, request, { key, wanted: wantedAfter(lease), unused: lease });
    } finally {
      this.leasing.delete(name);
    }
  }

  async exhaust(
    bucket: string,
    { limit, windowMs }: Pick<QuotaRequest, 'limit' | 'windowMs'>,
    forMs: number,
  ): Promise<void> {
    const key = this.keyOf(bucket, windowMs);
    this.leases.delete(leaseName(key, limit));
    this.others.set(key, limit, { ttl: Math.max(1, Math.ceil(forMs)) });
    await this.guard.send(() => this.client.exhaustQuota(key, limit, windowMs, slicesPerWindow, Math.ceil(forMs)));
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

  /** What was leased and not used, for the other processes. What does not arrive comes back by the end of its lease. */
  async returnLeases(): Promise<void> {
    const nowMs = performance.now();
    const unused = [...this.leases.values()].filter(
      ({ left, untilMs, windowMs }) => left > 0 && untilMs + windowMs > nowMs,
    );
    this.leases.clear();
    if (unused.length === 0) return;
    await this.guard.send(() =>
      Promise.all(unused.map(({ key, slice, left }) => this.client.returnQuota(key, slice, left))),
    );
  }

  private takeLeased(lease: Lease, cost: number): QuotaAnswer {
    lease.left -= cost;
    const leftRatio = lease.leftRatio + lease.left * lease.callRatio;
    return { granted: true, retryAfterMs: 0, leftRatio, giveBack: () => void (lease.left += cost) };
  }

  private async takeShared(
    bucket: string,
    request: QuotaRequest,
    { key, wanted, unused }: { readonly key: string; readonly wanted: number; readonly unused: Lease | undefined },
  ): Promise<QuotaAnswer> {
    const { windowMs, cost, calls } = allowanceOf(request);
    const own = this.book.of(bucket, windowMs);
    const back = unused?.left ?? 0;
    if (unused !== undefined && back > 0) own.record(unused.atMs, -back);
    const leaseMs = Math.floor(windowMs * leaseShare);
    const atMs = performance.now();
    const granted = own.usedSince(atMs, windowMs - windowMs / slicesPerWindow - travelMs);
    const answer = await this.guard.send(() =>
      this.client.takeQuota(
        key,
        calls,
        windowMs,
        cost,
        granted,
        slicesPerWindow,
        wanted,
        leaseMs,
        back,
        unused?.slice ?? 0,
      ),
    );
    if (!answer.ok) return this.takeLocally(bucket, request);
    const [isGranted, retryAfterMs, used, slice, leased, leasedSlice] = answer.value;
    if (isGranted === 1) own.record(atMs, cost + leased);
    const others = Math.max(0, used - own.used(performance.now()));
    this.others.set(key, others, { ttl: windowMs });
    if (isGranted !== 1) return { granted: false, retryAfterMs, leftRatio: 0 };
    const callRatio = 1 / Math.max(1, calls);
    const leftRatio = Math.max(0, calls - used) * callRatio;
    if (leased > 0) {
      const lease = { key, windowMs, atMs, untilMs: atMs + leaseMs, slice: leasedSlice, size: leased, left: leased };
      this.leases.set(leaseName(key, calls), { ...lease, leftRatio, callRatio });
    }
    const giveBack = (): void => {
      own.record(atMs, -cost);
      void this.guard.send(() => this.client.returnQuota(key, slice, cost));
    };
    return { granted: true, retryAfterMs: 0, leftRatio: leftRatio + leased * callRatio, giveBack };
  }

  private keyOf(bucket: string, windowMs: number): string {
    return `${this.prefix}quota:${bucket}:${windowMs}`;
  }

  private takeLocally(bucket: string, request: QuotaRequest): QuotaAnswer {
    const allowance = allowanceOf(request, localShare);
    const others = this.others.get(this.keyOf(bucket, allowance.windowMs)) ?? 0;
    const own = this.book.of(bucket, allowance.windowMs);
    const atMs = performance.now();
    const answer = own.take(atMs, allowance, others);
    return answer.granted ? { ...answer, giveBack: () => own.record(atMs, -allowance.cost) } : answer;
  }
}

/** A lease belongs to an allowance: the reserve is not leased to asynchronous calls, and a limit that has changed has other blocks. */
function leaseName(key: string, calls: number): string {
  return `${key}|${calls}`;
}

/** Twice a block that was used up, else as much as was used of it: a bucket that is used once a minute leases one call. */
function wantedAfter(last: Lease | undefined): number {
  if (last === undefined) return 1;
  return last.left === 0 ? 2 * last.size : Math.max(1, last.size - last.left);
}

/**
 * Parts of a window that are counted separately. A grant counts until its whole slice has left the window, so the limit holds for every window. The
 * price is a 32nd of the rate. The gain is that a call which travels up to a slice longer than another still keeps the provider's count.
 */
const slicesPerWindow = 32;

/** Grants of the last window, of one bucket. Memory does not grow with the limit. */
export class SlidingWindow {
  private readonly sliceMs: number;
  private readonly slices = new Map<number, number>();

  constructor(private readonly windowMs: number) {
    this.sliceMs = Math.max(1, Math.floor(windowMs / slicesPerWindow));
  }

  /** @param nowMs of a monotonic clock, as everywhere here */
  used(nowMs: number): number {
    const oldest = Math.floor((nowMs - this.windowMs) / this.sliceMs);
    let sum = 0;
    for (const [slice, count] of this.slices) {
      if (slice < oldest) this.slices.delete(slice);
      else sum += count;
    }
    return sum;
  }

  /** Of these, the ones that are certainly younger than `ageMs`. */
  usedSince(nowMs: number, ageMs: number): number {
    let sum = 0;
    for (const [slice, count] of this.slices) if (slice * this.sliceMs > nowMs - ageMs) sum += count;
    return sum;
  }

  /** @param cost negative: that many of a moment were given back */
  record(nowMs: number, cost: number): void {
    const slice = Math.floor(nowMs / this.sliceMs);
    this.slices.set(slice, (this.slices.get(slice) ?? 0) + cost);
  }

  /** @param others calls known to have been granted elsewhere in the same window */
  take(nowMs: number, { cost, calls }: Allowance, others = 0): QuotaAnswer {
    const used = this.used(nowMs) + others;
    if (used + cost > calls) {
      return { granted: false, retryAfterMs: this.freeIn(nowMs, used + cost - calls), leftRatio: 0 };
    }
    this.record(nowMs, cost);
    return { granted: true, retryAfterMs: 0, leftRatio: (calls - used - cost) / calls };
  }

  /** As if the limit had been used at the moment whose window ends then. */
  exhaust(nowMs: number, limit: number, forMs: number): void {
    this.record(Math.ceil((nowMs + forMs - this.windowMs) / this.sliceMs) * this.sliceMs, limit);
  }

  /** When `needed` calls have left the window. */
  private freeIn(nowMs: number, needed: number): number {
    let freed = 0;
    for (const [slice, count] of [...this.slices].toSorted(([one], [other]) => one - other)) {
      freed += count;
      if (freed >= needed) return Math.max(1, Math.ceil((slice + 1) * this.sliceMs + this.windowMs - nowMs));
    }
    return this.windowMs;
  }
}

/** A request with its rules applied: whole numbers, `cost` at least 1 and at most `calls`. */
interface Allowance {
  readonly windowMs: number;
  readonly cost: number;
  /** Calls that may be in the window, this request's included; the reserve is already subtracted. 0: nothing is allowed. */
  readonly calls: number;
}

/** Kept for synchronous calls, for which a caller waits. Source: design, hazard 2.16. */
const defaultReserve = 0.2;

/** @param share part of the limit that is this process's own: 1 with a shared count, less without */
export function allowanceOf(request: QuotaRequest, share = 1): Allowance {
  const windowMs = Math.max(1, Math.floor(request.windowMs));
  const full = Math.max(0, Math.floor(request.limit));
  // At least one call: a bucket of limit 1 would otherwise stop for as long as Redis is away.
  const limit = full === 0 ? 0 : Math.max(1, Math.floor(full * share));
  const reserve = request.priority === 'synchronous' ? 0 : Math.min(1, Math.max(0, request.reserve ?? defaultReserve));
  // Asynchronous work never stops altogether, whatever the reserve.
  const calls = Math.max(Math.min(1, limit), Math.floor(limit * (1 - reserve)));
  const cost = Math.min(Math.max(1, Math.floor(request.cost ?? 1)), Math.max(1, calls));
  return { windowMs, cost, calls };
}

/** Buckets remembered at once; far more than the lanes one process works on in a window. */
const bucketsMax = 10_000;

/** The windows of this process, by bucket. The least recently used one is dropped first. */
export class WindowBook {
  private readonly windows = new LRUCache<string, SlidingWindow>({ max: bucketsMax });

  of(bucket: string, windowMs: number): SlidingWindow {
    const name = nameOf(bucket, windowMs);
    const known = this.windows.get(name);
    if (known) return known;
    const made = new SlidingWindow(windowMs);
    this.windows.set(name, made);
    return made;
  }

  /** A lookup that neither creates a window nor counts as a use of it. Undefined: nothing was granted in it. */
  find(bucket: string, windowMs: number): SlidingWindow | undefined {
    return this.windows.peek(nameOf(bucket, windowMs));
  }
}

function nameOf(bucket: string, windowMs: number): string {
  return `${bucket}:${windowMs}`;
}
