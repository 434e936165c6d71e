import { setImmediate as nextTurn } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for a turn of the event loop of its own. For work that holds the loop for long, such as parsing a megabyte: many of them that
 * arrive together are done one a turn, and whoever wants something small is served between two of them.
 */
export function ownTurn(): Promise<void> {
  const mine = last.then(() => nextTurn());
  last = mine;
  return mine;
}
