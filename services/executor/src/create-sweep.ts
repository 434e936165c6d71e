import type { Step } from '@sluice/store';

/** What one pass found. `isCut`: its steps are used up and the sweep is not complete. */
export interface SweepPass<Found> {
  readonly found: readonly Found[];
  readonly isCut: boolean;
}

/**
 * Sweeps everything in steps of bounded cost, however much there is: each pass continues where the last one ended, and makes at
 * most `stepsMax` steps. The cursor is in memory only; a new process starts from the beginning.
 */
export function createSweep<Found, Cursor>(
  step: (after: Cursor | undefined) => Promise<Step<Found, Cursor>>,
  stepsMax: number,
): () => Promise<SweepPass<Found>> {
  let cursor: Cursor | undefined;
  return async () => {
    const found: Found[] = [];
    for (let n = 0; n < stepsMax; n += 1) {
      const { found: more, next } = await step(cursor);
      found.push(...more);
      cursor = next;
      if (next === undefined) return { found, isCut: false };
    }
    return { found, isCut: true };
  };
}
