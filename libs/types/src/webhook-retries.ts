const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Pauses before each further attempt, in milliseconds. Together 47.7 hours, so that a message has 13 attempts in two days: quickly at
 * first, because most failures are a restart; then about as long as what has passed.
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
 * How long a message waits after a failed attempt, in milliseconds.
 * @param tries attempts since the message was made or replayed, 1 after the first
 * @param random from 0 to 1
 * @returns undefined after the last: the message has failed
 */
export function webhookPauseMs(tries: number, random: number): number | undefined {
  const pauseMs = pausesMs[tries - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 - spread * random));
}
