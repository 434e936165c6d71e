import { LRUCache } from 'lru-cache';
import type { QuotaAnswer, QuotaRequest } from './cache-and-quotas';

/**
 * Parts of a window that are counted separately. A grant counts until its whole slice has left the window, so the limit holds for every window. The
 * price is a 32nd of the rate. The gain is that a call which travels up to a slice longer than another still keeps the provider's count.
 */
export const slicesPerWindow = 32;

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
