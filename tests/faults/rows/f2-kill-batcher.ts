import { check } from '../harness/checker';
import { killDuring } from '../harness/kill-during';
import { readBatches } from '../harness/read-batches';
import type { Row } from '../harness/row';

/** F2: open batches are rows, not memory; the other batcher flushes them when they are due. */
export const f2: Row = {
  id: 'F2',
  title: 'kill -9 of a batcher with open batches',
  ciSize: { writes: 900, faults: 3 },
  fullSize: { writes: 20_000, faults: 30 },
  run: async (context) => {
    const load = { mix: { auto: 9, autoUpdate: 1 } };
    const { ledger, restartMs } = await killDuring(context, { victims: ['batcher'], load });
    const verdict = await check(context, ledger);
    const batches = await readBatches(context.world, ledger.startedAtMs);
    return {
      verdict,
      numbers: { restartMs, batches: batches.length },
      misses: batches.length === 0 ? ['nothing was batched'] : [],
    };
  },
};
