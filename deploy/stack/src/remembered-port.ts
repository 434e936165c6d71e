import { choosePort, isPortFree } from './ports';
import type { StateBook } from './stack-state';

/** The port of a listener: the one it had, unless somebody else took it. Written down before it is used. */
export async function takePort(book: StateBook, listener: string): Promise<number> {
  const others = Object.entries(book.state.ports).filter(([name]) => name !== listener);
  const port = await choosePort(
    book.state.ports[listener],
    others.map(([, other]) => other),
  );
  book.state.ports[listener] = port;
  book.save();
  return port;
}

/**
 * Tries again with other ports when a start fails because somebody took the port in between.
 * @param listeners names of the ports the attempt uses
 */
export async function retryWhenPortIsTaken<T>(
  book: StateBook,
  listeners: readonly string[],
  attempt: () => Promise<T>,
): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (round === 3 || !(await isAnyTaken(book, listeners))) throw error;
    }
  }
}

async function isAnyTaken(book: StateBook, listeners: readonly string[]): Promise<boolean> {
  for (const listener of listeners) {
    const port = book.state.ports[listener];
    if (port !== undefined && !(await isPortFree(port))) return true;
  }
  return false;
}
