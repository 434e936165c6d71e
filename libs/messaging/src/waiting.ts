/** Waits for `work`, but no longer than `ms`. True when it ended in time, also by rejecting. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/** Bounds of a growing wait, in milliseconds. */
export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * Wait before try `attempt + 1`: doubles from `baseMs` to `capMs`, and half of it is random, so that members that
 * failed together do not come back together.
 * @param attempt failures so far, from 1
 */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number = Math.random): number {
  const full = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt - 1, 30));
  return full / 2 + (full / 2) * random();
}
