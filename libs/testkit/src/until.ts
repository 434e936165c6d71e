import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until `look` finds something; fails after `boundMs`.
 * @param boundMs what ends a wait in vain. @default 60 000: far beyond what a slow machine needs, so that timing decides no test
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  boundMs = 60_000,
): Promise<T> {
  const startedAtMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() - startedAtMs > boundMs) throw new Error(`not within ${boundMs} ms: ${what}`);
    await sleep(10);
  }
}
