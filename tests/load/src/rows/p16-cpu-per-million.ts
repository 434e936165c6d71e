import { randomUUID } from 'node:crypto';
import { alternate } from '../harness/alternate';
import type { Bench, Measured, Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { withEmptyDatabase } from '../harness/empty-database';
import { ratioFinding } from '../harness/finding';
import { cpuSeconds, listenerOf } from '../harness/process-usage';
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
      isConsuming: true,
    };
    const naive = await startChild('baselines/naive', argument);
    try {
      const shared = stackProcesses(bench);
      const own = system.running().map(([, { pid }]) => pid);
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
        const before = cpuSeconds(pids);
        await work();
        return ((cpuSeconds(pids) - before) * 1e6) / records;
      };
      const ours = () => perMillion([...own, ...shared], size.records, () => runAutoBatch(bench, system, size));
      const theirs = () => perMillion([naive.pid, ...shared], count, () => naiveRound(count));
      const sides = [
        { name: 'ours', measure: ours },
        { name: 'naive', measure: theirs },
      ];
      const [mine, other] = await alternate(sides, bench.isQuick ? 1 : rounds, bench.say);
      const finding = ratioFinding({
        what: 'CPU per million records, accepted to written',
        unit: 's',
        ours: mine?.median ?? NaN,
        against: 'Express + knex + kafkajs, a call and an update per message',
        baseline: other?.median ?? NaN,
        target: { atMost: 0.3 },
        rounds: { ours: mine?.figures ?? [], baseline: other?.figures ?? [] },
      });
      const note = `P16: medians of ${rounds}. All service processes, Postgres, Redis and Kafka; not the load generator, not the provider.`;
      return { findings: [finding], notes: [note] };
    } finally {
      await naive.kill();
    }
  });
}

/** What both sides use, as process ids. */
function stackProcesses({ addresses }: Bench): number[] {
  const broker = addresses.kafkaBrokers.split(',')[0] ?? '';
  const ports = [new URL(addresses.databaseUrl).port, new URL(addresses.redisUrl).port, broker.split(':')[1] ?? ''];
  return ports.map((port) => listenerOf(Number(port)));
}
