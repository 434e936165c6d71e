import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { portDistances } from '@sluice/local';
import { freePortBase as freeBase } from '@sluice/testkit';

/** A base whose eleven service ports are free now. */
export function freePortBase(): Promise<number> {
  return freeBase(portDistances);
}

/** Waits up to a minute. @returns whether somebody listens there */
export async function listens(port: number): Promise<boolean> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    const socket = createConnection(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return true;
    await sleep(25);
  }
  return false;
}
