import type { Clock } from './clock';

/** Between two looks at what lags, in milliseconds. [own] */
const everyMs = 1_000;

export interface Pace {
  /** Looks are made for about so long, in milliseconds. */
  readonly boundMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Looks until something holds, at least twice. Looks are counted rather than timed, so that a replay makes as many.
 * @returns whether it came to hold
 */
export async function poll(check: () => Promise<boolean>, { boundMs, clock, signal }: Pace): Promise<boolean> {
  const looksMax = Math.max(2, Math.ceil(boundMs / everyMs) + 1);
  for (let looks = 1; ; looks += 1) {
    if (await check()) return true;
    if (looks >= looksMax) return false;
    await clock.wait(everyMs, signal);
  }
}
