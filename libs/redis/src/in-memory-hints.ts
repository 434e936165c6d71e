import { LRUCache } from 'lru-cache';
import { allowanceOf, type Hints, type QuotaBuckets } from './hints';

/** Keys at most. */
const keysMax = 10_000;

/** Hints inside one process: for the embedded footprint, and the fallback of the Redis ones. */
export function createInMemoryHints(): Hints {
  const texts = new LRUCache<string, string>({ max: keysMax });
  return {
    cache: {
      get: (key) => Promise.resolve(texts.get(key)),
      set: (key, value, ttlMs) => {
        texts.set(key, value, { ttl: Math.max(1, ttlMs) });
        return Promise.resolve();
      },
      delete: (key) => {
        texts.delete(key);
        return Promise.resolve();
      },
    },
    quotas: createLocalBuckets(1),
    healthy: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  };
}

/**
 * A sliding log of the moments of granted calls per bucket: exact for any window.
 * @param share part of each limit that this process may use, 0 to 1
 */
export function createLocalBuckets(share: number): QuotaBuckets {
  const buckets = new LRUCache<string, number[]>({ max: keysMax });
  return {
    take: (bucket, request) => {
      const nowMs = performance.now();
      const granted = (buckets.get(bucket) ?? []).filter((atMs) => atMs > nowMs - request.windowMs);
      const allowance = Math.max(1, Math.floor(allowanceOf(request) * share));
      if (granted.length < allowance) {
        buckets.set(bucket, [...granted, nowMs]);
        return Promise.resolve({ granted: true, retryAfterMs: 0 });
      }
      buckets.set(bucket, granted);
      // The call that leaves the window first makes room: not the oldest one when the reserve is in use.
      const leaving = granted[granted.length - allowance] ?? nowMs;
      return Promise.resolve({
        granted: false,
        retryAfterMs: Math.max(1, Math.ceil(leaving + request.windowMs - nowMs)),
      });
    },
  };
}
