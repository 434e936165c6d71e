import { fillBacklog } from '@sluice/testkit';
import type { Bench, Row } from '../harness/bench';
import { accountOf } from '../harness/customers';
import { ratioFinding } from '../harness/finding';
import { ownerOf } from '../harness/owner-of';
import { percentile } from '../harness/statistics';
import type { System } from '../harness/system';
import { until } from '../harness/until';
import { watchDisk } from '../harness/watch-disk';
import { asynchronous, writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

/** Source: goal P13. The first customer is the noisy one. */
const quietLanes = 20;
const noisyCalls = 100_000;
const noisyLatencyMs = 5_000;
/** Over all quiet lanes. */
const writesPerSecond = 50;

export const p13: Row = {
  id: 'P13',
  goal: 'p99 from sending a write to its provider call on quiet accounts, with one noisy account, against none',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway', 'executor'] }, async (system) => {
      const count = bench.isQuick ? 40 : 2_000;
      await dwells(bench, system, bench.isQuick ? 20 : 250);
      const alone = await watchDisk(() => dwells(bench, system, count));
      await makeNoise(bench, system);
      const beside = await watchDisk(() => dwells(bench, system, count));
      await bench.provider.reset();
      bench.say(`quiet lanes alone: ${show(alone)}; beside the noisy one: ${show(beside)}`);
      const finding = ratioFinding({
        what: 'p99 from sending to the provider call, quiet accounts',
        unit: 'ms',
        ours: percentile(beside.result, 0.99),
        against: 'no noisy account',
        baseline: percentile(alone.result, 0.99),
        target: { atMost: 1.5 },
      });
      const note = `P13: ${quietLanes} quiet accounts, ${writesPerSecond} writes/s together, ${count} each time; the noisy one has ${noisyCalls.toLocaleString('en-US')} calls waiting and answers in ${noisyLatencyMs / 1000} s. Alone: ${show(alone)}; beside: ${show(beside)}. A stall of the disk of 0.4 s meets 20 of 2,000 writes, which is the p99.`;
      return { findings: [finding], notes: [note] };
    }),
};

function show({ result, slowestMs }: { result: readonly number[]; slowestMs: number }): string {
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(result, share).toFixed(1));
  return `p50 ${p50}, p99 ${p99} ms (slowest fdatasync of a file beside it ${slowestMs.toFixed(0)} ms)`;
}

async function makeNoise(bench: Bench, system: System): Promise<void> {
  const calls = bench.isQuick ? 50 : noisyCalls;
  bench.say(`filling ${calls.toLocaleString('en-US')} calls of the noisy account`);
  await bench.provider.behave({ latencyMs: bench.isQuick ? 50 : noisyLatencyMs }, accountOf(0));
  await fillBacklog(system.databaseUrl, await ownerOf(system, 0), { calls, type: 'create' });
  await until('the noisy account is called', async () => (await callsOf(bench, 0)) > 0);
}

/** Writes at a steady rate to the quiet accounts. @returns milliseconds from sending to the provider, of each */
async function dwells(bench: Bench, system: System, count: number): Promise<number[]> {
  const before = await quietDwells(bench);
  await bench.load.run({
    ...writeTarget(system),
    body: writeBody(asynchronous, { isTimed: true }),
    firstGroup: 1,
    groups: quietLanes,
    connections: quietLanes,
    perSecond: bench.isQuick ? 400 : writesPerSecond,
    count,
  });
  const all = await until('every quiet write is at the provider', async () => {
    const now = await quietDwells(bench);
    return now.flat().length >= before.flat().length + count ? now : undefined;
  });
  return all.flatMap((lane, index) => lane.slice(before[index]?.length ?? 0));
}

async function quietDwells(bench: Bench): Promise<number[][]> {
  const { byAccount } = await bench.provider.counts();
  return Array.from({ length: quietLanes }, (_, index) => byAccount[accountOf(index + 1)]?.dwellsMs ?? []);
}

async function callsOf(bench: Bench, customer: number): Promise<number> {
  return (await bench.provider.counts()).byAccount[accountOf(customer)]?.calls ?? 0;
}
