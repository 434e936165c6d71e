const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Pauses before each further attempt, in milliseconds. Together 47.7 hours, so that a message has 13 attempts in two days. They come quickly at
 * first, because most failures are a restart, then after about as long as has passed.
 */
const pausesMs: readonly number[] = [
  5_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  6 * hourMs,
  8 * hourMs,
  12 * hourMs,
  14 * hourMs,
];

/** Messages that failed together come back spread over this part of the pause. */
const spread = 0.1;

/**
 * Longest pause that a receiver can ask for with `Retry-After`, in milliseconds. Our choice: it makes the two days of a message 52 hours at
 * most, and a receiver that needs longer can repeat it.
 */
export const holdMsMax = hourMs;

/**
 * How long a message waits after a failed attempt, in milliseconds.
 * @param tries attempts since the message was made or replayed, 1 after the first
 * @param random from 0 to 1
 * @param askedMs what the receiver asks for, at most `holdMsMax`: a lower bound
 * @returns undefined after the last: the message has failed
 */
export function pauseBeforeRetryMs(tries: number, random: number, askedMs = 0): number | undefined {
  const pauseMs = pausesMs[tries - 1];
  return pauseMs === undefined ? undefined : Math.max(Math.round(pauseMs * (1 - spread * random)), askedMs);
}
