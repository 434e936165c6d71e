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
  /** Whether it also begins at once. @default false */
  readonly isFirstNow?: boolean;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Does something again and again, never twice at the same time: what takes longer skips a time, what fails is done again.
 * @returns ends it, after what is in progress
 */
export function repeat(
  work: (isEnded: () => boolean) => Promise<void>,
  { everyMs, isFirstNow = false, onFailure }: Repetition,
): () => Promise<void> {
  let isEnded = false;
  let running: Promise<void> | undefined;
  const run = (): void => {
    running ??= work(() => isEnded)
      .catch(onFailure)
      .finally(() => (running = undefined));
  };
  if (isFirstNow) run();
  const timer = setInterval(run, everyMs);
  return async () => {
    isEnded = true;
    clearInterval(timer);
    await running;
  };
}
