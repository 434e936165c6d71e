import { setTimeout as sleep } from 'node:timers/promises';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { check } from '../harness/checker';
import { countUnintendedSends } from '../harness/late-sends';
import { sendLoad } from '../harness/load';
import { watchResumption } from '../harness/resumption';
import type { Row, RowContext } from '../harness/row';

/** 1.5 leases, and until others took what it held.8 (a lease is 6 s), and the fault matrix. */
const stoppedMs = 9_000;
/** A part of the load lasts longer than a stop, so that the sleeper wakes amid work that others took over. */
const partMs = stoppedMs + 1_500;

/** F6: who slept through its lease sends nothing more, and what it settles is refused by the fence. */
export const f6: Row = {
  id: 'F6',
  title: 'an executor that is stopped for 1.5 leases and goes on',
  ciSize: { writes: 500, faults: 1 },
  fullSize: { writes: 20_000, faults: 20 },
  run: async (context) => {
    const ledgers: ClientLedger[] = [];
    for (let round = 0; round < context.size.faults; round += 1) ledgers.push(await sendAndStop(context, round));
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger);
    const lateSends = await countUnintendedSends(context.world, ledger);
    return {
      verdict,
      numbers: { lateSends },
      misses: lateSends > 0 ? [`${lateSends} calls were sent without an intent`] : [],
    };
  },
};

async function sendAndStop(context: RowContext, round: number): Promise<ClientLedger> {
  const { world, size, random } = context;
  const writes = Math.ceil(size.writes / size.faults);
  const party = { name: 'executor', index: round % 2 === 0 ? 0 : 1 } as const;
  const stopAt = Math.ceil(writes * 0.1 * (1 + random()));
  let stopping: Promise<void> | undefined;
  let isStopped = false;
  const stop = async (): Promise<void> => {
    const pid = world.pid(party) ?? 0;
    await world.kill(party, 'SIGSTOP');
    await Promise.all([sleep(stoppedMs), watchResumption(world, [pid])]);
    await world.kill(party, 'SIGCONT');
  };
  const onAnswer = (answered: number): void => {
    if (answered < stopAt || stopping !== undefined) return;
    isStopped = true;
    stopping = stop().finally(() => (isStopped = false));
  };
  const perSecond = Math.min(400, (writes / partMs) * 1_000);
  const goesOn = (): boolean => isStopped;
  const ledger = await sendLoad(context, { writes, perSecond, onAnswer, goesOn, name: `-${round}` });
  await stopping;
  return ledger;
}
