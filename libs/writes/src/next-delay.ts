/** Base 2 s, doubling, cap 15 min. */
const baseMs = 2_000;
const capMs = 15 * 60_000;
/** How long before its deadline a record is tried a last time: enough for one call and its settlement. */
const lastTryMs = 1_000;

/**
 * Delay before the next attempt, in milliseconds, with full jitter.
 * @param attempt attempts already made, 1 for the first retry
 * @param leftMs time left until the retry deadline
 * @param retryAfterMs the provider's own lower bound; never shortened
 * @param random from 0 up to 1
 * @returns clipped to a last try just before the deadline; undefined after it, or when the lower bound lies behind it
 */
export function nextDelayMs(
  attempt: number,
  leftMs: number,
  retryAfterMs: number,
  random: () => number,
): number | undefined {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 20));
  const wanted = Math.max(retryAfterMs, Math.round(random() * ceiling));
  if (wanted <= leftMs - lastTryMs) return wanted;
  const last = leftMs - lastTryMs;
  return last > 0 && last >= retryAfterMs ? last : undefined;
}
