import { LRUCache } from 'lru-cache';
import { isKept } from './cache-limits';
import type { Cache } from './hints';

/** Characters of all values together; with the keys well below 100 MB. */
const charsMax = 32_000_000;

/** Values of this process. When it is full, the one unused for longest goes first. */
export class MemoryCache implements Cache {
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
