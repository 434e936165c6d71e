import { setTimeout as sleep } from 'node:timers/promises';
import { metricsUrlOf } from '@sluice/local';
import { sendLoad } from './load';
import type { RowContext } from './row';
import type { World } from './world';

/** Calls that both executors claimed since they started, by what woke them. A dead one counts nothing. */
export async function countClaims(world: Pick<World, 'url'>, source: 'message' | 'sweep'): Promise<number> {
  const pattern = new RegExp(`^sluice_claims_total\\{[^}]*source="${source}"[^}]*\\} (\\d+)`, 'm');
  const counts = await Promise.all(
    ([0, 1] as const).map(async (index) => {
      const metrics = await fetch(metricsUrlOf(world.url({ name: 'executor', index }))).then((reply) => reply.text());
      return Number(pattern.exec(metrics)?.[1] ?? 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Far past the 10 s that the fault matrix asks for: a broker that starts has a slow machine busy for a minute. */
const boundMs = 240_000;

/**
 * Writes one record after the other until an executor was woken by a message.
 * @returns how long that took, in milliseconds
 * @throws when messages do not work again
 */
export async function untilMessagesWork(context: RowContext, round: number): Promise<number> {
  const startedAtMs = performance.now();
  const before = await countClaims(context.world, 'message');
  for (let tries = 0; performance.now() - startedAtMs < boundMs; tries += 1) {
    await sendLoad(context, { writes: 1, mix: { single: 1 }, name: `-wake-${round}-${tries}` });
    await sleep(100);
    if ((await countClaims(context.world, 'message')) > before) return Math.round(performance.now() - startedAtMs);
  }
  throw new Error(`no claim was woken by a message within ${boundMs} ms of the broker's restart`);
}
