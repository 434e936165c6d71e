import { serviceNames } from '@sluice/local';
import { isAlive } from './supervise';
import { parties, type World } from './world';

/** Brings the world back to what a row expects, also after one that failed half way: every party runs, every service answers. */
export async function heal(world: World): Promise<void> {
  for (const name of serviceNames) await world.startService(name);
  for (const party of parties) {
    const pid = world.pid(party);
    if (isAlive(pid)) await world.kill(party, 'SIGCONT');
    else await world.start(party);
  }
}
