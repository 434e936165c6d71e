import { alternate, roundsOf } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { cpuOf, systemProcesses } from '../harness/cpu';
import { comparedFinding, ownFinding } from '../harness/finding';
import { asynchronous, writeBody } from '../harness/write-body';
import { runAutoBatch, sizeOf } from './auto-batch';

/** Jobs of one round of the baseline: about as long as a round of ours. */
const jobsPerRound = 50_000;

export const p06: Row = {
  id: 'P6',
  goal: 'auto-batched records/s from accept to settled, provider at 0 ms, against a BullMQ worker that does nothing',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway', 'batcher', 'executor'] }, async (system) => {
      const worker = await startChild('baselines/bullmq-noop', bench.addresses);
      try {
        const jobs = bench.isQuick ? 500 : jobsPerRound;
        const size = sizeOf(bench, 40_000);
        const pids = systemProcesses(bench, system);
        const microseconds: number[] = [];
        await runAutoBatch(bench, system, sizeOf(bench, 10_000));
        const ours = async (): Promise<number> => {
          const { result, seconds } = await cpuOf(bench, pids, () => runAutoBatch(bench, system, size));
          microseconds.push((seconds * 1e6) / result.records);
          return (result.records * 1000) / result.elapsedMs;
        };
        const theirs = async (): Promise<number> => {
          const { elapsedMs } = await worker.ask<{ elapsedMs: number }>({ jobs, body: writeBody(asynchronous) });
          return (jobs * 1000) / elapsedMs;
        };
        const sides = [
          { name: 'ours', measure: ours },
          { name: 'BullMQ', measure: theirs },
        ] as const;
        const compared = await alternate(sides, pace(bench).rounds, bench.say);
        const rate = {
          what: 'auto-batched records, accepted to settled',
          unit: '/s',
          against: 'BullMQ worker that does nothing, 100 at once, queue filled before',
          target: { atLeast: 0.26 },
          floor: '0.43×, the prototype of the tables',
        };
        const cpu = { what: 'CPU of all processes per auto-batched record', unit: 'µs', against: 'itself' };
        const notes = [
          `P6: ${size.records.toLocaleString('en-US')} records a round over ${size.keys} keys, accepting included; the baseline's jobs are added before its clock starts.`,
        ];
        return { findings: [comparedFinding(rate, ...compared), ownFinding(cpu, roundsOf(microseconds))], notes };
      } finally {
        await worker.kill();
      }
    }),
};
