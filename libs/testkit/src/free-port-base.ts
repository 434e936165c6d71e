import { createServer } from 'node:net';

/** Below the ephemeral range of Linux (from 32768), so that no outgoing connection takes a port meanwhile, and above the ports of the launcher's own tests. */
const lowest = 21_000;
const highest = 31_000;

/**
 * A base whose ports are free now, so that several systems can run side by side.
 * @param distances of the ports from the base: those of `servicePorts`
 */
export async function freePortBase(distances: readonly number[]): Promise<number> {
  for (;;) {
    const base = lowest + Math.floor(Math.random() * (highest - lowest));
    const free = await Promise.all(distances.map((distance) => isFree(base + distance)));
    if (free.every(Boolean)) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
