import { check } from '../harness/checker';
import { mergeLedgers, type ClientLedger } from '../harness/client-ledger';
import { latestFlushMs } from '../harness/judge-batches';
import { sendLoad } from '../harness/load';
import { readBatches } from '../harness/read-batches';
import type { Row, RowContext } from '../harness/row';
import type { Party } from '../harness/world';
import { clockOffBy } from './support/faketime';
import { restart } from './support/parties';

const tenMinutes = 600;

/** Services whose clock is wrong, one at a time; the other one of its kind is down, so that this one does the work. */
const rounds: readonly { readonly name: Party['name']; readonly seconds: number }[] = [
  { name: 'batcher', seconds: -tenMinutes },
  { name: 'write-gateway', seconds: tenMinutes },
  { name: 'executor', seconds: -tenMinutes },
  { name: 'batcher', seconds: tenMinutes },
  { name: 'write-gateway', seconds: -tenMinutes },
  { name: 'executor', seconds: tenMinutes },
];

/** The clock of one service is ten minutes off. Every moment comes from the database, so nobody notices. */
export const f23: Row = {
  id: 'F23',
  title: 'clock ±10 min on one service (libfaketime)',
  ciSize: { writes: 240, faults: 3 },
  fullSize: { writes: 6_000, faults: 6 },
  cannotRun: () => (clockOffBy(0) ? undefined : 'libfaketime (Debian: faketime) is not here and cannot be installed'),
  run: async (context) => {
    const { size, world } = context;
    const ledgers: ClientLedger[] = [];
    for (const [at, round] of rounds.slice(0, size.faults).entries()) {
      const env = clockOffBy(round.seconds) ?? {};
      ledgers.push(await skewed(context, { ...round, env, at }));
    }
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger);
    const flushErrorMs = latestFlushMs(await readBatches(world, ledger.startedAtMs));
    const slow = flushErrorMs > 1_000 ? [`a batch was flushed ${flushErrorMs} ms after its moment`] : [];
    return { verdict, numbers: { flushErrorMs }, misses: [], slow };
  },
};

interface Skew {
  readonly name: Party['name'];
  readonly env: Readonly<Record<string, string>>;
  readonly at: number;
}

async function skewed(context: RowContext, { name, env, at }: Skew): Promise<ClientLedger> {
  const { world, size } = context;
  const [wrong, idle]: readonly [Party, Party] = [
    { name, index: 0 },
    { name, index: 1 },
  ];
  await world.kill(idle, 'SIGTERM');
  await restart(world, wrong, env);
  const mix = { auto: 6, single: 2, update: 1, autoUpdate: 1 };
  const ledger = await sendLoad(context, { writes: size.writes / size.faults, perSecond: 120, mix, name: `-${at}` });
  await check(context, ledger);
  await Promise.all([restart(world, wrong), world.start(idle)]);
  return ledger;
}
