import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own. For work that blocks the loop for milliseconds, such as parsing a megabyte: many of
 * them that arrive together run one per turn, and small requests are served between two of them.
 */
export function ownTurn(): Promise<void> {
  const mine = last.then(() => nextTurn());
  last = mine;
  return mine;
}
