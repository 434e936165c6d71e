import { LRUCache } from 'lru-cache';
import { allowanceOf, WindowBook } from './redis-quotas';
import type { CacheAndQuotas } from './cache-and-quotas';

/** Hints for services that share a process. They must share this object too, because each object has its own quota counts. */
export function createInMemoryRedis(): CacheAndQuotas {
  const values = new LRUCache<string, string>({ max: 10_000 });
  const book = new WindowBook();
  return {
    cache: {
      get: async (key) => values.get(key),
      getMany: async (keys) => keys.map((key) => values.get(key)),
      set: async (key, value, ttlMs) => void values.set(key, value, { ttl: ttlMs }),
    },
    quotas: {
      take: async (bucket, request) => {
        const allowance = allowanceOf(request);
        const window = book.of(bucket, allowance.windowMs);
        const nowMs = performance.now();
        const answer = window.take(nowMs, allowance);
        return answer.granted ? { ...answer, giveBack: () => window.record(nowMs, -allowance.cost) } : answer;
      },
      exhaust: async (bucket, { limit, windowMs }, forMs) => {
        book.of(bucket, windowMs).exhaust(performance.now(), limit, forMs);
      },
      used: async (windows) =>
        windows.map(({ bucket, windowMs }) => book.find(bucket, windowMs)?.used(performance.now()) ?? 0),
    },
    healthy: async () => true,
    health: async () => undefined,
    close: async () => values.clear(),
  };
}
