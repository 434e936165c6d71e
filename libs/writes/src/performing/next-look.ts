const jitterMaxMs = 500;
const firstMs = 1_000;
/** Longest distance while the provider answers; a longer window is looked at ten times. Ours: each look costs quota. */
const spacedMaxMs = 10_000;
/** The same while the looks fail for another reason than the quota, once the window is over; divided by the time scale. */
const failingMaxMs = 60_000;

export interface LookMoment {
  readonly sinceSentMs: number;
  /** The longest window of the records, counted from the last send. */
  readonly windowMs: number;
  readonly hasFailed: boolean;
  /** The provider's lower bound, or our own quota's; 0: none. */
  readonly retryAfterMs: number;
  readonly timeScale: number;
  readonly random: () => number;
}

/**
 * Milliseconds until the next look. Looks come at growing distances, and one just after the window's end, but none before the
 * provider's lower bound. Equal creates must not look in step for ever, so each distance is spread.
 */
export function nextLookMs(moment: LookMoment): number {
  const { sinceSentMs, windowMs, hasFailed, retryAfterMs, timeScale, random } = moment;
  const untilEndMs = Math.max(windowMs - sinceSentMs, 0);
  const isFailing = hasFailed && untilEndMs === 0;
  const longestMs = Math.max(spacedMaxMs, isFailing ? failingMaxMs / timeScale : windowMs / 10);
  const spacedMs = Math.min(longestMs, Math.max(firstMs, sinceSentMs / 2));
  const wantedMs = untilEndMs > 0 ? Math.min(spacedMs, untilEndMs + 50) : spacedMs;
  return Math.max(wantedMs, retryAfterMs) + random() * jitterMaxMs;
}
