import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { ratioFinding } from '../harness/finding';
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
        await runAutoBatch(bench, system, sizeOf(bench, 10_000));
        const ours = async (): Promise<number> => {
          const { records, elapsedMs } = await runAutoBatch(bench, system, size);
          return (records * 1000) / elapsedMs;
        };
        const theirs = async (): Promise<number> => {
          const { elapsedMs } = await worker.ask<{ elapsedMs: number }>({ jobs, body: writeBody(asynchronous) });
          return (jobs * 1000) / elapsedMs;
        };
        const sides = [
          { name: 'ours', measure: ours },
          { name: 'BullMQ', measure: theirs },
        ];
        const [mine, other] = await alternate(sides, pace(bench).rounds, bench.say);
        const finding = ratioFinding({
          what: 'auto-batched records, accepted to settled',
          unit: '/s',
          ours: mine?.median ?? NaN,
          against: 'BullMQ worker that does nothing, 100 at once, queue filled before',
          baseline: other?.median ?? NaN,
          target: { atLeast: 0.5 },
          rounds: { ours: mine?.figures ?? [], baseline: other?.figures ?? [] },
        });
        const notes = [
          `P6: ${size.records.toLocaleString('en-US')} records a round over ${size.keys} keys, accepting included; the baseline's jobs are added before its clock starts.`,
        ];
        return { findings: [finding], notes };
      } finally {
        await worker.kill();
      }
    }),
};
