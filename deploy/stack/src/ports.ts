import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { StateBook } from './stack-state';
import { unavailable } from './processes';

/** Below the range from which Linux takes the local ports of outgoing connections, so that none of them takes ours. */
const range = { from: 21_000, to: 31_000 } as const;

/** Whether this port of 127.0.0.1 can be listened on now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1' }, () => server.close(() => resolve(true)));
  });
}

/**
 * The remembered port when it is still free, else a free one at random: several checkouts must not meet.
 * @param taken ports that are promised already, though nobody listens on them yet
 */
async function choosePort(remembered: number | undefined, taken: readonly number[] = []): Promise<number> {
  if (remembered !== undefined && (await isPortFree(remembered))) return remembered;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(range.from, range.to);
    if (!taken.includes(port) && (await isPortFree(port))) return port;
  }
  throw unavailable(`No port of 127.0.0.1 between ${range.from} and ${range.to} is free.`);
}

/**
 * Sends bytes to a local port and collects the reply until `isComplete` is true.
 * @returns undefined when nobody answers within `withinMs` milliseconds
 */
export function askPort(
  port: number,
  request: Buffer,
  options: { readonly isComplete: (reply: Buffer) => boolean; readonly withinMs?: number },
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let reply = Buffer.alloc(0);
    const finish = (answer: Buffer | undefined) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(options.withinMs ?? 2_000, () => finish(undefined));
    socket.once('error', () => finish(undefined));
    socket.once('close', () => finish(undefined));
    socket.once('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk]);
      if (options.isComplete(reply)) finish(reply);
    });
  });
}

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
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts === 3 || !(await isAnyTaken(book, listeners))) throw error;
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
