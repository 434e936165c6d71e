import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until `find` returns something; fails after `boundMs`.
 * @param boundMs longest wait. @default 60 000: far beyond what a slow machine needs, so that no test depends on timing
 */
export async function until<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
  boundMs = 60_000,
): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() - startedAtMs > boundMs) throw new Error(`not within ${boundMs} ms: ${what}`);
    await sleep(10);
  }
}
