import { randomUUID } from 'node:crypto';
import { alternate, shortFigure } from '../harness/alternate';
import type { Bench, Measured, Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { cpuOf, namedProcesses, stackProcesses } from '../harness/cpu';
import { withEmptyDatabase } from '../harness/empty-database';
import { comparedFinding } from '../harness/finding';
import { cpuSeconds } from '../harness/process-usage';
import { median } from '../harness/statistics';
import { until } from '../harness/until';
import { baselineLoad } from './accept';
import { runAutoBatch, sizeOf } from './auto-batch';

/** Long enough that the start of a process does not count, and every round is long: fewer of them. */
const rounds = 3;
const naiveRecords = 10_000;

export const p16: Row = {
  id: 'P16',
  goal: 'CPU seconds per million records accepted, batched and written, all processes, against the naive variant',
  measure: (bench) => withEmptyDatabase((databaseUrl) => measure(bench, databaseUrl)),
};

function measure(bench: Bench, naiveUrl: string): Promise<Measured> {
  return bench.withSystem({ services: ['write-gateway', 'batcher', 'executor'] }, async (system) => {
    const topic = `bench-naive-${randomUUID()}`;
    const argument = {
      ...bench.addresses,
      databaseUrl: naiveUrl,
      providerUrl: bench.provider.url,
      topic,
    };
    const naive = await startChild('baselines/naive', argument);
    try {
      const size = sizeOf(bench, 40_000);
      const load = baselineLoad((naive.ready as { port: number }).port);
      const naiveRound = async (count: number): Promise<void> => {
        await bench.provider.reset();
        await bench.load.run({ ...load, count });
        await until('the provider has every record', async () => (await bench.provider.counts()).records >= count);
      };
      const count = bench.isQuick ? 100 : naiveRecords;
      await runAutoBatch(bench, system, sizeOf(bench, 10_000));
      await naiveRound(Math.round(count / 5));
      const perMillion = async (
        pids: readonly number[],
        records: number,
        work: () => Promise<unknown>,
      ): Promise<number> => {
        const { seconds } = await cpuOf(bench, pids, work);
        return (seconds * 1e6) / records;
      };
      const ourProcesses = namedProcesses(bench, system).map(([name, pid]) => ({ name, pid, figures: [] as number[] }));
      const ourPids = ourProcesses.map(({ pid }) => pid);
      const theirPids = [naive.pid, ...stackProcesses(bench)];
      const ours = async (): Promise<number> => {
        const before = ourPids.map((pid) => cpuSeconds([pid]));
        const total = await perMillion(ourPids, size.records, () => runAutoBatch(bench, system, size));
        ourProcesses.forEach(({ pid, figures }, at) => {
          figures.push(((cpuSeconds([pid]) - (before[at] ?? 0)) * 1e6) / size.records);
        });
        return total;
      };
      const theirs = () => perMillion(theirPids, count, () => naiveRound(count));
      const sides = [
        { name: 'ours', measure: ours },
        { name: 'naive', measure: theirs },
      ] as const;
      const compared = await alternate(sides, bench.isQuick ? 1 : rounds, bench.say);
      const about = {
        what: 'CPU per million records, accepted to written',
        unit: 's',
        against: 'Express + knex + kafkajs, a call and an update per message',
        target: { atMost: 0.27 },
        floor: '250 s, the prototype of the tables',
      };
      const parts = ourProcesses.map(({ name, figures }) => `${name} ${shortFigure(median(figures))}`).join(', ');
      const note = `P16: medians of ${rounds}. All service processes, Postgres, Redis and Kafka, until they rest; not the load generator, not the provider. Seconds of ours: ${parts}.`;
      return { findings: [comparedFinding(about, ...compared)], notes: [note] };
    } finally {
      await naive.kill();
    }
  });
}
