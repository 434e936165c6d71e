import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../harness/checker';
import { mergeLedgers, unexpectedReplies, type ClientLedger } from '../harness/client-ledger';
import { sendLoad } from '../harness/load';
import { query } from '../harness/query';
import type { Row, RowContext } from '../harness/row';
import { parties, type Party } from '../harness/world';
import { accountsOf } from './support/customers';

/** Writes a second of 20 s, and of an hour: two cores carry a third of the matrix's 300 for long, beside the client, the provider and the broker. */
const burstPerSecond = 300;
const soakPerSecond = 100;
/** Source: fault matrix, F30. */
const target = { growthMiBPerMinute: 1, p99Ratio: 1.2, deadRatio: 2 };
/** What is read while the load goes on, and from which part of it on. */
const sampleEveryMs = 1_000;
const warm = 1 / 6;
const mebi = 1024 * 1024;

/** F30: the same load for long. Nothing grows, nothing slows. */
export const f30: Row = {
  id: 'F30',
  title: 'soak for an hour',
  ciSize: { writes: 2_000, faults: 0 },
  fullSize: { writes: 360_000, faults: 0 },
  run: async (context) => {
    const { size, isFull } = context;
    const perSecond = isFull ? soakPerSecond : burstPerSecond;
    let isOver = false;
    const sampling = sampleMemory(context, () => isOver);
    // With the limits of two accounts five sixths of the writes would wait, and more from minute to minute.
    const customers = await accountsOf(context.world, 8);
    const ledgers: ClientLedger[] = [];
    // In tenths, so that the first can be compared with the last.
    for (let tenth = 0; tenth < 10; tenth += 1)
      ledgers.push(await sendLoad(context, { writes: size.writes / 10, perSecond, customers, name: `-${tenth}` }));
    isOver = true;
    const samples = await sampling;
    const ledger = mergeLedgers(ledgers);
    const verdict = await check(context, ledger, { boundMs: 600_000 });
    const [second, last] = [p99Of(ledgers[1]), p99Of(ledgers.at(-1))];
    const numbers = {
      growthMiBPerMinute: growthOf(samples),
      p99SecondTenthMs: second,
      p99LastTenthMs: last,
      p99Ratio: Number((last / Math.max(1, second)).toFixed(2)),
      deadRatio: await deadRatio(context),
      achievedPerSecond: Math.round(ledger.records.length / ((ledger.endedAtMs - ledger.startedAtMs) / 1_000)),
    };
    return {
      verdict,
      numbers,
      misses: unexpectedReplies(ledger),
      slow: Object.entries(target).flatMap(([name, most]) => {
        const seen = numbers[name as keyof typeof target];
        return seen > most ? [`${name}: ${seen}, wanted ${most}`] : [];
      }),
    };
  },
};

interface Sample {
  readonly atMs: number;
  readonly bytes: ReadonlyMap<Party, number>;
}

async function sampleMemory({ world }: RowContext, isOver: () => boolean): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  while (!isOver()) {
    const bytes = new Map(parties.map((party) => [party, residentBytes(world.pid(party) ?? 0)]));
    samples.push({ atMs: performance.now(), bytes });
    await sleep(sampleEveryMs);
  }
  return samples;
}

/** Source: proc_pid_status(5), `VmRSS`. */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Of the party that grew fastest once it was warm: the slope of the line through its samples. */
function growthOf(samples: readonly Sample[]): number {
  const later = samples.slice(Math.floor(samples.length * warm));
  const meanMs = later.reduce((sum, { atMs }) => sum + atMs, 0) / later.length;
  const slopes = parties
    .filter(({ name }) => name !== 'sandbox')
    .map((party) => {
      const of = ({ bytes }: Sample): number => bytes.get(party) ?? 0;
      const mean = later.reduce((sum, sample) => sum + of(sample), 0) / later.length;
      const over = later.reduce((sum, sample) => sum + (sample.atMs - meanMs) * (of(sample) - mean), 0);
      const spread = later.reduce((sum, { atMs }) => sum + (atMs - meanMs) ** 2, 0);
      return (over / spread) * 60_000;
    });
  return Number((Math.max(...slopes) / mebi).toFixed(1));
}

function p99Of({ records }: ClientLedger = { records: [] } as unknown as ClientLedger): number {
  const took = records
    .map(({ sentAtMs, answeredAtMs = sentAtMs }) => answeredAtMs - sentAtMs)
    .toSorted((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? 0;
}

/** Versions of rows, living and dead, for each living one, of the table with the most. */
async function deadRatio({ world }: RowContext): Promise<number> {
  const [row] = await query<{ ratio: string }>(
    world,
    `select max(1 + n_dead_tup::float8 / greatest(n_live_tup, 1)) as ratio from pg_stat_user_tables where n_live_tup > 1000`,
    [],
  );
  return Number(Number(row?.ratio ?? 0).toFixed(2));
}
