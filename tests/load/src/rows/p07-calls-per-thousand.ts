import type { Row } from '../harness/bench';
import type { Finding } from '../harness/finding';
import { runAutoBatch, sizeOf } from './auto-batch';

/** Keys that the records are dealt to. Source: load plan L3, without its 10,000 keys: those would fill no batch in a minute. */
const keyCounts = [1, 100];

export const p07: Row = {
  id: 'P7',
  goal: 'provider calls per 1,000 auto-batched records',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway', 'batcher', 'executor'] }, async (system) => {
      const findings: Finding[] = [];
      for (const keys of keyCounts) {
        const { records, calls } = await runAutoBatch(bench, system, sizeOf(bench, keys === 1 ? 20_000 : 40_000, keys));
        const perThousand = (calls * 1000) / records;
        bench.say(`${keys} keys: ${calls} calls for ${records} records`);
        findings.push({
          what: `provider calls per 1,000 records, ${keys === 1 ? 'one key' : `${keys} keys`}`,
          unit: 'calls',
          ours: perThousand,
          against: 'full batches',
          baseline: 10,
          judged: perThousand,
          judgedUnit: 'calls',
          target: { atMost: 10.5 },
        });
      }
      return {
        findings,
        notes: [
          'P7: as many records per key as fill its batches; what a quiet key sends after its delay is not in it.',
        ],
      };
    }),
};
