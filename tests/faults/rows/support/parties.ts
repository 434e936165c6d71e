import { setTimeout as sleep } from 'node:timers/promises';
import type { Party, World } from '../../harness/world';

export const executors: readonly Party[] = both('executor');
export const batchers: readonly Party[] = both('batcher');
export const gateways: readonly Party[] = both('write-gateway');

function both(name: Party['name']): readonly Party[] {
  return [
    { name, index: 0 },
    { name, index: 1 },
  ];
}

/** Ends a party in an orderly way and starts it again, with `env` besides its own. */
export async function restart(world: World, party: Party, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await world.kill(party, 'SIGTERM');
  await world.start(party, env);
}

export function isAlive(world: World, party: Party): boolean {
  const pid = world.pid(party);
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Keeps parties running as a supervisor does: whoever died is started again, with its env. */
export function supervise(world: World, parties: readonly Party[], env: Readonly<Record<string, string>>) {
  const deaths = new Map(parties.map((party) => [party, 0]));
  const state = { isEnded: false };
  const watch = async (party: Party): Promise<void> => {
    while (!state.isEnded) {
      if (!isAlive(world, party)) {
        deaths.set(party, (deaths.get(party) ?? 0) + 1);
        // It may die again before it is ready, and that is another death.
        await world.startOnce(party, env).catch(() => undefined);
      }
      await sleep(50);
    }
  };
  const watching = Promise.all(parties.map(watch));
  return {
    deaths: (): number => [...deaths.values()].reduce((sum, count) => sum + count, 0),
    end: async (): Promise<void> => {
      state.isEnded = true;
      await watching;
    },
  };
}
