import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own. For work that blocks the loop for milliseconds, such as parsing a megabyte. When many of them arrive
 * together they run one per turn, and small requests are served between two of them.
 */
export function yieldToEventLoop(): Promise<void> {
  const mine = last.then(() => nextTurn());
  last = mine;
  return mine;
}

/** How often something is done, and what hears of its failures. */
export interface Repetition {
  readonly everyMs: number;
  /** It rests this many times as long as it took, if that is longer: 20 is a twentieth of one database connection's time at most. @default 0 */
  readonly restTimes?: number;
  /** Whether it also begins at once. @default false */
  readonly isFirstNow?: boolean;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Does something again and again, never twice at the same time: what takes longer skips a time, what fails is done again. It keeps no process alive.
 * @returns ends it, after what is in progress
 */
export function repeat(
  work: (isEnded: () => boolean) => Promise<void>,
  { everyMs, restTimes = 0, isFirstNow = false, onFailure }: Repetition,
): () => Promise<void> {
  let isEnded = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const runIn = (ms: number): void => {
    // A timer drops the fraction, and a tick that is early may find that nothing is due yet.
    if (!isEnded) timer = setTimeout(run, Math.ceil(ms)).unref();
  };
  const run = (): void => {
    const startedAtMs = performance.now();
    running = work(() => isEnded)
      .catch(onFailure)
      .finally(() => {
        const tookMs = performance.now() - startedAtMs;
        runIn(Math.max(everyMs - (tookMs % everyMs), restTimes * tookMs));
      });
  };
  if (isFirstNow) run();
  else runIn(everyMs);
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await running;
  };
}
