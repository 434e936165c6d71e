import { allowanceOf } from './allowance';
import type { Hints } from './hints';
import { WindowBook } from './window-book';
import { MemoryCache } from './memory-cache';

/** Hints for services that share a process. They must share this object too: each one has quota counts of its own. */
export function createInMemoryHints(): Hints {
  const cache = new MemoryCache();
  const book = new WindowBook();
  return {
    cache,
    quotas: {
      take: async (bucket, request) => {
        const allowance = allowanceOf(request);
        return book.of(bucket, allowance.windowMs).take(performance.now(), allowance);
      },
      used: async (windows) =>
        windows.map(({ bucket, windowMs }) => book.find(bucket, windowMs)?.used(performance.now()) ?? 0),
    },
    healthy: async () => true,
    close: async () => cache.clear(),
  };
}
