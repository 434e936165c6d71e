import { metricsUrlOf } from '@sluice/local';
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
