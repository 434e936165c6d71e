import { ProviderError } from '@sluice/errors';
import { LRUCache } from 'lru-cache';

/** A refusal is not believed before this long. Our choice: Salesforce's refusal during another refresh passes in seconds. */
const unclearForMs = 30_000;
/** Pause before the second request; it doubles. */
const firstPauseMs = 2_000;
/** Refused grants that one process remembers, and for how long without a further refusal. Our choice. */
const grantsMax = 10_000;
const keptMs = 24 * 3_600_000;

/**
 * What a refusal counts as that does not say that the grant has ended: a failure of the moment, until it came often enough over long enough.
 * @param grant connection and token version
 * @returns undefined: it counts as the end
 */
export type JudgeRefusal = (grant: string, refusal: ProviderError) => ProviderError | undefined;

/**
 * Refusals in a row, as this process met them.
 * @param ttl how long one is remembered, in milliseconds. @default a day
 * @param now monotonic milliseconds. @default performance.now
 */
export function createRefusalJudge(ttl = keptMs, now = () => performance.now()): JudgeRefusal {
  const refusals = new LRUCache<string, { readonly sinceMs: number; readonly asks: number }>({
    max: grantsMax,
    ttl,
    perf: { now },
  });
  return (grant, refusal) => {
    const asksMin = refusal.meta['triesMax'];
    if (typeof asksMin !== 'number') return undefined;
    const { sinceMs, asks } = refusals.get(grant) ?? { sinceMs: now(), asks: 0 };
    refusals.set(grant, { sinceMs, asks: asks + 1 }, { noUpdateTTL: true });
    const leftMs = sinceMs + unclearForMs - now();
    if (asks + 1 >= asksMin && leftMs <= 0) return undefined;
    const retryAfterMs = Math.max(firstPauseMs, Math.min(firstPauseMs * 2 ** asks, leftMs));
    return new ProviderError({ class: 'unavailable', detail: refusal.detail, retryAfterMs, cause: refusal });
  };
}
