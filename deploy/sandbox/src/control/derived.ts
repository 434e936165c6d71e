import { createHash } from 'node:crypto';

/** SHA-256 of a text: what is derived from it is the same on every run. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** 32 hexadecimal digits in the groups of a UUID. */
export function derivedUuid(text: string): string {
  const hex = digest(text).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Largest gap between two numbers. Ids of one account are not consecutive, so that no test may rely on it. */
const LARGEST_STEP = 997;

/** Growing numbers with uneven gaps, for ids of records. The same calls give the same numbers on every run. */
export class UnevenNumbers {
  private state = 1;

  constructor(private last: number) {}

  next(): number {
    // A full-period congruential generator (Numerical Recipes constants): spread is enough here, quality is not.
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    this.last += 1 + (this.state % LARGEST_STEP);
    return this.last;
  }

  /** Makes sure that `number` is never given again. Needed after records were loaded from a journal. */
  skipPast(number: number): void {
    this.last = Math.max(this.last, number);
  }
}
