import { check } from '../harness/checker';
import { countClaims } from '../harness/claims';
import { sendLoad } from '../harness/load';
import type { Row, RowContext } from '../harness/row';
import type { Party } from '../harness/world';

const sweepers: Party[] = [
  { name: 'executor', index: 0 },
  { name: 'executor', index: 1 },
  { name: 'batcher', index: 0 },
  { name: 'batcher', index: 1 },
];

/**
 * K1, beside the matrix: without a fault and without sweeps every write is found by its message. F8 is the other half.
 */
export const k1: Row = {
  id: 'K1',
  title: 'Kafka alone, the sweeps off',
  ciSize: { writes: 500, faults: 0 },
  fullSize: { writes: 10_000, faults: 0 },
  run: async (context) => {
    await restart(context, { SLUICE_SWEEPS: 'off' });
    const ledger = await sendLoad(context, { writes: context.size.writes, mix: { single: 1, auto: 1 } });
    const verdict = await check(context, ledger);
    const claimsByMessage = await countClaims(context.world, 'message');
    const claimsBySweep = await countClaims(context.world, 'sweep');
    await restart(context, {});
    return {
      verdict,
      numbers: { claimsByMessage, claimsBySweep },
      misses: [
        ...(claimsBySweep > 0 ? [`${claimsBySweep} claims by sweeps that are off`] : []),
        ...(claimsByMessage === 0 ? ['no claim by a message'] : []),
      ],
    };
  },
};

async function restart({ world }: RowContext, env: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(sweepers.map((party) => world.kill(party, 'SIGTERM')));
  await Promise.all(sweepers.map((party) => world.start(party, env)));
}
