import type { Allowance } from './allowance';
import type { QuotaAnswer } from './hints';

/**
 * Parts of a window that are counted separately. A grant counts until its whole slice has left the window, so the
 * limit holds for every window; the price is a 32nd of the rate, and the gain that a call which travels up to a slice
 * longer than another still keeps the provider's count.
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

  /** When `needed` calls have left the window. The slices of the map are in the order of time. */
  private freeIn(nowMs: number, needed: number): number {
    let freed = 0;
    for (const [slice, count] of this.slices) {
      freed += count;
      if (freed >= needed) return Math.max(1, Math.ceil((slice + 1) * this.sliceMs + this.windowMs - nowMs));
    }
    return this.windowMs;
  }
}
