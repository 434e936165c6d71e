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

/** How long a service may take to answer, in milliseconds. */
const replyMs = 2_000;

/**
 * Sends bytes to a local port and collects the reply until it is complete.
 * @returns undefined when there is no reply within two seconds
 */
export function askPort(
  port: number,
  request: Buffer,
  isComplete: (reply: Buffer) => boolean,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let reply = Buffer.alloc(0);
    const finish = (answer: Buffer | undefined) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(replyMs, () => finish(undefined));
    socket.once('error', () => finish(undefined)).once('close', () => finish(undefined));
    socket.once('connect', () => socket.write(request));
    socket.on('data', (chunk: Buffer) => {
      reply = Buffer.concat([reply, chunk]);
      if (isComplete(reply)) finish(reply);
    });
  });
}

/**
 * The port of a listener: its previous one, if it is free, else a free one at random, so that several checkouts do not collide. Saved before it is
 * used.
 */
export async function takePort(book: StateBook, listener: string): Promise<number> {
  const { ports } = book.state;
  const promised = Object.entries(ports).flatMap(([name, port]) => (name === listener ? [] : [port]));
  const candidates = [ports[listener] ?? 0, ...Array.from({ length: 100 }, () => randomInt(range.from, range.to))];
  for (const port of candidates) {
    if (port === 0 || promised.includes(port) || !(await isPortFree(port))) continue;
    ports[listener] = port;
    book.save();
    return port;
  }
  throw unavailable(`No port of 127.0.0.1 between ${range.from} and ${range.to} is free.`);
}

/** Tries again with other ports when a start fails because another process took a port of the service in between. */
export async function retryWhenPortIsTaken<T>(book: StateBook, service: string, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const ports = Object.entries(book.state.ports).filter(([listener]) => listener.startsWith(service));
      const areFree = await Promise.all(ports.map(([, port]) => isPortFree(port)));
      if (attempts === 3 || areFree.every(Boolean)) throw error;
    }
  }
}
