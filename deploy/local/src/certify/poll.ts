import { setTimeout as delay } from 'node:timers/promises';

/**
 * Looks until something holds, at most for `boundMs`, at least twice.
 * @returns how long it took in milliseconds; undefined when it did not come to hold
 */
export async function poll(
  check: () => Promise<boolean>,
  { boundMs, everyMs, signal }: { readonly boundMs: number; readonly everyMs: number; readonly signal?: AbortSignal },
): Promise<number | undefined> {
  const startedAt = performance.now();
  for (let looks = 1; ; looks += 1) {
    if (await check()) return Math.round(performance.now() - startedAt);
    if (looks > 1 && performance.now() - startedAt > boundMs) return undefined;
    await delay(everyMs, undefined, signal ? { signal } : {});
  }
}
