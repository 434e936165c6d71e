import { openDatabase } from '@sluice/store';
import { check } from '../harness/checker';
import { mergeLedgers, unexpectedReplies } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row } from '../harness/row';
import type { World } from '../harness/world';
import { compareDwell } from './support/dwell';

/** Source: fault matrix, F14. */
const ratioMax = 2;

/** F14: somebody's transaction keeps every version of every row, so nothing that was claimed and settled can be cleaned away. */
export const f14: Row = {
  id: 'F14',
  title: 'a long transaction holds the oldest snapshot',
  ciSize: { writes: 500, faults: 10 },
  fullSize: { writes: 60_000, faults: 600 },
  run: async (context) => {
    const { world, size } = context;
    const load = {
      perSecond: Math.ceil(size.writes / size.faults),
      concurrency: gentleConcurrency,
      mix: { single: 8, auto: 1, update: 1 },
    };
    const calm = await sendLoad(context, { ...load, writes: Math.ceil(size.writes / 2), name: '-calm' });
    await check(context, calm);
    const heldUntilMs = performance.now() + size.faults * 1_000;
    const faulty = await holdingSnapshot(world, () =>
      sendLoad(context, {
        ...load,
        writes: size.writes,
        goesOn: () => performance.now() < heldUntilMs,
        name: '-held',
      }),
    );
    const ledger = mergeLedgers([calm, faulty]);
    const verdict = await check(context, ledger);
    const { numbers, slow } = await compareDwell(world, { calm, faulty }, world.customers, ratioMax);
    return { verdict, numbers, misses: unexpectedReplies(ledger), slow };
  },
};

/** Does it while a transaction has a snapshot of before. */
async function holdingSnapshot<T>(world: World, work: () => Promise<T>): Promise<T> {
  const database = openDatabase({ url: world.serviceUrl('postgres'), poolMax: 1, applicationName: 'fault-rows' });
  try {
    return await database.transaction(
      async (transaction) => {
        await transaction.raw('set local idle_in_transaction_session_timeout = 0');
        await transaction.raw('select count(*) from records');
        return await work();
      },
      { isolationLevel: 'repeatable read' },
    );
  } finally {
    await database.destroy();
  }
}
