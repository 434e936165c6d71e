import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../harness/checker';
import { countClaims, untilMessagesWork } from '../harness/claims';
import { mergeLedgers, unexpectedReplies, type ClientLedger } from '../harness/client-ledger';
import { gentleConcurrency, sendLoad } from '../harness/load';
import { slower, type Row } from '../harness/row';

/** How long the broker stays dead before it is started again; its start comes on top. */
const deadMs = 1_000;

/** F7: accepting needs no broker; what was announced to nobody is found by the sweeps, and messages work again afterwards. */
export const f7: Row = {
  id: 'F7',
  title: 'kill -9 of the broker, and its restart',
  ciSize: { writes: 500, faults: 1 },
  fullSize: { writes: 20_000, faults: 20 },
  run: async (context) => {
    const { world, size, random } = context;
    const ledgers: ClientLedger[] = [];
    const catchUps: number[] = [];
    for (let round = 0; round < size.faults; round += 1) {
      const writes = Math.ceil(size.writes / size.faults);
      const killAt = Math.ceil(writes * (0.1 + 0.3 * random()));
      let broker: Promise<void> | undefined;
      const fail = async (): Promise<void> => {
        await world.killService('kafka');
        await sleep(deadMs);
        await world.startService('kafka');
      };
      const onAnswer = (answered: number): void => {
        if (answered >= killAt) broker ??= fail();
      };
      ledgers.push(await sendLoad(context, { writes, onAnswer, concurrency: gentleConcurrency, name: `-${round}` }));
      await broker;
      catchUps.push(await untilMessagesWork(context, round));
    }
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger);
    const catchUpMs = Math.max(...catchUps);
    return {
      verdict,
      numbers: { catchUpMs, claimsByMessage: await countClaims(world, 'message') },
      misses: unexpectedReplies(ledger),
      slow: slower({ catchUpMs }, 10_000),
    };
  },
};
