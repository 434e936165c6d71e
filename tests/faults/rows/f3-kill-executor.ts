import { check } from '../harness/checker';
import { killDuring } from '../harness/kill-during';
import { slower, type Row } from '../harness/row';

/** F3: what the dead executor held lapses, is claimed again, and what it had sent is looked up before it is sent again. */
export const f3: Row = {
  id: 'F3',
  title: 'kill -9 of an executor while it sends',
  ciSize: { writes: 900, faults: 3 },
  fullSize: { writes: 20_000, faults: 50 },
  run: async (context) => {
    const lapsedBefore = countLapses(context.world);
    const { ledger, restartMs, resumedMs } = await killDuring(context, { victims: ['executor'] });
    const verdict = await check(context, ledger);
    const lapses = countLapses(context.world) - lapsedBefore;
    return {
      verdict,
      numbers: { restartMs, resumedMs, lapses },
      // An executor that was killed idle would prove nothing.
      misses: lapses === 0 ? ['no executor was killed with a call in hand'] : [],
      slow: slower({ resumedMs }, 10_000),
    };
  },
};

function countLapses(world: { logLines(): { event: string }[] }): number {
  return world.logLines().filter(({ event }) => event === 'leases.lapsed').length;
}
