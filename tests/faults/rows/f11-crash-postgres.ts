import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../harness/checker';
import { judgeRefusals, mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import { slower, type Row, type RowContext } from '../harness/row';

/** How long Postgres stays down before it is started again; its recovery comes on top. */
const downMs = 1_000;
/** Each repetition lasts this at least. */
const roundSeconds = 5;
/** Latest flush beyond the outage: nobody can flush without a database. */
const flushLateMs = 60_000;
/** A repetition goes on until so many writes were answered after the crash. */
const writesAfter = 20;

/** F11: while Postgres is away every write is refused, none is lost; afterwards everything resumes by itself. */
export const f11: Row = {
  id: 'F11',
  title: 'Postgres is stopped immediately and started again',
  ciSize: { writes: 500, faults: 1 },
  fullSize: { writes: 20_000, faults: 10 },
  run: async (context) => {
    const ledgers: ClientLedger[] = [];
    const recoveries: number[] = [];
    let downMax = 0;
    for (let round = 0; round < context.size.faults; round += 1) {
      const { ledger, upAtMs, outageMs } = await sendAndCrash(context, round);
      ledgers.push(ledger);
      downMax = Math.max(downMax, outageMs);
      const accepted = ledger.records.filter(
        ({ outcome, answeredAtMs = 0 }) => outcome === 'accepted' && answeredAtMs > upAtMs,
      );
      recoveries.push(Math.min(...accepted.map(({ answeredAtMs = Infinity }) => answeredAtMs - upAtMs)));
    }
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger, { flushLateMs: downMax + flushLateMs });
    const recoverMs = Math.max(...recoveries);
    const { refusals, misses } = judgeRefusals(ledger, 'Postgres was away');
    return {
      verdict,
      numbers: { recoverMs, refusals },
      misses: [...misses, ...(Number.isFinite(recoverMs) ? [] : ['nothing was accepted afterwards'])],
      slow: slower({ recoverMs }, 5_000),
    };
  },
};

interface Crashed {
  readonly ledger: ClientLedger;
  /** When Postgres answered again, and how long it did not. */
  readonly upAtMs: number;
  readonly outageMs: number;
}

async function sendAndCrash(context: RowContext, round: number): Promise<Crashed> {
  const { world, size, random } = context;
  const writes = Math.ceil(size.writes / size.faults);
  const perSecond = Math.min(400, writes / roundSeconds);
  const crashAt = Math.ceil(writes * (0.2 + 0.3 * random()));
  let crashing: Promise<void> | undefined;
  let [downAtMs, upAtMs, after] = [0, 0, 0];
  let isOver = false;
  const crash = async (): Promise<void> => {
    downAtMs = Date.now();
    await world.killService('postgres');
    await sleep(downMs);
    await world.startService('postgres');
    upAtMs = Date.now();
  };
  const onAnswer = (answered: number): void => {
    if (answered >= crashAt) crashing ??= crash().finally(() => (isOver = true));
    if (isOver) after += 1;
  };
  // However long this machine takes to stop and start it, writes meet its absence and its return.
  const goesOn = (): boolean => after < writesAfter;
  // What a synchronous write answers while the database goes has a suite of its own; here a reply means accepted or not.
  const mix = { single: 40, auto: 40, batch: 2, update: 10, autoUpdate: 6 };
  const ledger = await sendLoad(context, { writes, perSecond, onAnswer, goesOn, mix, name: `-${round}` });
  await crashing;
  return { ledger, upAtMs, outageMs: upAtMs - downAtMs };
}
