import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two checks, in milliseconds. */
const everyMs = 20;

/** Waits until `look` finds something that is neither undefined nor false. @throws after `boundMs` */
export async function until<Found>(
  what: string,
  find: () => Promise<Found | undefined | false>,
  boundMs = 600_000,
): Promise<Found> {
  const startedAtMs = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - startedAtMs > boundMs) throw new Error(`not within ${boundMs} ms: ${what}`);
    await sleep(everyMs);
  }
}
