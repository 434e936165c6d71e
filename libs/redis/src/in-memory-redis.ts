import { LRUCache } from 'lru-cache';
import { allowanceOf, WindowBook } from './redis-quotas';
import { type CacheAndQuotas, type Cache, isKept } from './cache-and-quotas';

/** Hints for services that share a process. They must share this object too, because each object has its own quota counts. */
export function createInMemoryRedis(): CacheAndQuotas {
  const cache = new MemoryCache();
  const book = new WindowBook();
  return {
    cache,
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
    close: async () => cache.clear(),
  };
}

/** Characters of all values together; with the keys well below 100 MB. */
const charsMax = 32_000_000;

/** Values of this process. When it is full, the least recently used one is dropped first. */
class MemoryCache implements Cache {
  private readonly values = new LRUCache<string, string>({
    max: 10_000,
    maxSize: charsMax,
    sizeCalculation: (value) => value.length + 1,
  });

  async get(key: string): Promise<string | undefined> {
    return this.values.get(key);
  }

  async getMany(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    return keys.map((key) => this.values.get(key));
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    if (isKept(value, ttlMs)) this.values.set(key, value, { ttl: Math.floor(ttlMs) });
    else this.values.delete(key);
  }

  async delete(key: string): Promise<void> {
    this.values.delete(key);
  }

  clear(): void {
    this.values.clear();
  }
}
