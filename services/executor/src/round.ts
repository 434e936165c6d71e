import type { Step } from '@sluice/store';

/** What one pass found. `isCut`: its steps are used up and the sweep is not complete. */
export interface Look<Found> {
  readonly found: readonly Found[];
  readonly isCut: boolean;
}

/**
 * Sweeps everything in steps of bounded cost, however much there is: each pass continues where the last one ended, and makes at
 * most `stepsMax` steps. The cursor is in memory only; a new process starts from the beginning.
 */
export function goRound<Found, Place>(
  step: (after: Place | undefined) => Promise<Step<Found, Place>>,
  stepsMax: number,
): () => Promise<Look<Found>> {
  let place: Place | undefined;
  return async () => {
    const found: Found[] = [];
    for (let n = 0; n < stepsMax; n += 1) {
      const { found: more, next } = await step(place);
      found.push(...more);
      place = next;
      if (next === undefined) return { found, isCut: false };
    }
    return { found, isCut: true };
  };
}
