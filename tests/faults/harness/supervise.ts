import { setTimeout as sleep } from 'node:timers/promises';
import type { FailpointName } from '@sluice/config';
import type { Party, World } from './world';

/** A failpoint that kills its process, and in which party. */
export interface Trap {
  readonly party: Party;
  readonly name: FailpointName;
  /** For each time that the failpoint is passed. */
  readonly probability: number;
  /** After the failpoint was passed, in milliseconds. @default 0 */
  readonly afterMs?: number;
}

const pollMs = 20;

/**
 * Arms one trap after the other in their party and starts it again whenever a trap killed it, as a supervisor does.
 * Disarms it at the end, or when its caller asks for that. A trap may be sprung before its process is ready, all the more on a slow machine.
 * @returns how often each trap was sprung
 */
export async function supervise(
  world: World,
  traps: readonly Trap[],
  { times, isOver }: { readonly times: number; readonly isOver: () => boolean },
): Promise<Map<FailpointName, number>> {
  const sprung = new Map<FailpointName, number>();
  for (const { party, name, probability, afterMs = 0 } of traps) {
    const spec = `${name}:exit9${afterMs > 0 ? `=${afterMs}` : ''}:${probability}`;
    // One that the trap before it has killed needs no other end.
    if (isAlive(world.pid(party))) await world.kill(party, 'SIGTERM');
    for (let count = 0; count < times && !isOver(); sprung.set(name, (count += 1))) {
      await world.startOnce(party, { SLUICE_FAILPOINT: spec }).catch(() => undefined);
      while (isAlive(world.pid(party)) && !isOver()) await sleep(pollMs);
      if (isOver()) break;
    }
  }
  const last = traps.at(-1)?.party;
  if (last !== undefined) {
    if (isAlive(world.pid(last))) await world.kill(last, 'SIGTERM');
    await world.start(last);
  }
  return sprung;
}

/** Whether the process of this number runs. */
export function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
}
