import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is yes or the time is over.
 * @returns whether the condition held within `withinMs` milliseconds
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  options: { readonly withinMs: number; readonly everyMs?: number },
): Promise<boolean> {
  const giveUpAt = performance.now() + options.withinMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= giveUpAt) return false;
    await delay(options.everyMs ?? 50);
  }
}
