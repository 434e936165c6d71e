import { check } from '../harness/checker';
import { unexpectedReplies, type ClientLedger } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import type { Row } from '../harness/row';
import type { Party } from '../harness/world';
import { batchers, executors, gateways, restart } from './support/parties';

/** Every service that a write meets, and those beside; the sandbox is the customers' and stays. */
const all: readonly Party[] = [...gateways, ...executors, ...batchers, { name: 'management' }, { name: 'search' }];

/** Every process is ended in an orderly way and started again, one after the other, while writes keep coming. */
export const f27: Row = {
  id: 'F27',
  title: 'SIGTERM rolling restart under 500/s',
  ciSize: { writes: 750, faults: 1 },
  fullSize: { writes: 150_000, faults: 30 },
  run: async (context) => {
    const { size, isFull } = context;
    let isRestarting = true;
    // Management is asked by the load's poller; its own restart is not the client's business here.
    const loading = sendLoad(context, {
      writes: size.writes,
      perSecond: isFull ? 500 : 75,
      ...(!isFull && { concurrency: gentleConcurrency }),
      mix: { single: 5, auto: 4, batch: 0.2 },
      // Every restart is to meet writes, and a slow machine restarts for longer than these take.
      goesOn: () => isRestarting,
    });
    try {
      for (let round = 0; round < size.faults; round += 1) {
        for (const party of all) await restart(context.world, party);
      }
    } finally {
      isRestarting = false;
    }
    const ledger = await loading;
    const verdict = await check(context, ledger);
    return {
      verdict,
      numbers: { restarts: size.faults * all.length, ...speed(ledger) },
      // A refused connection (0) may go to the other address.
      misses: unexpectedReplies(ledger, ({ status }) => status === 0),
    };
  },
};

function speed({ records, startedAtMs, endedAtMs, statuses }: ClientLedger): Record<string, number> {
  const perSecond = Math.round((records.length * 1_000) / Math.max(1, endedAtMs - startedAtMs));
  return { perSecond, refusedConnections: statuses.get(0) ?? 0 };
}
