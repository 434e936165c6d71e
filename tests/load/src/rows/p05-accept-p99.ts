import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { ratioFinding } from '../harness/finding';
import { perSecond, type LoadSpec } from '../harness/generate-load';
import { acceptLoad, baselineLoad } from './accept';

/** Of the most that the gateway takes. Source: goal P5. */
const share = 0.5;

export const p05: Row = {
  id: 'P5',
  goal: 'p99 of an accept at 50 % load, against bare Express at the same rate',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const child = await startChild('baselines/bare-express', {});
      try {
        const { rounds, roundMs, warmUp } = pace(bench);
        const [ours, theirs] = [acceptLoad(system), baselineLoad((child.ready as { port: number }).port)];
        await bench.load.run({ ...ours, ...warmUp });
        await bench.load.run({ ...theirs, ...warmUp });
        const most = perSecond(await bench.load.run({ ...ours, durationMs: roundMs }));
        const rate = Math.round(most * share);
        bench.say(`at most ${Math.round(most)}/s; both sides at ${rate}/s`);
        const side = (name: string, spec: LoadSpec) => ({
          name,
          measure: async () => {
            if (!bench.isQuick) await clearBacklog(system);
            return (await bench.load.run({ ...spec, perSecond: rate, durationMs: roundMs })).p99Ms;
          },
        });
        const sides = [side('ours', ours), side('Express', theirs)];
        const [mine, other] = await alternate(sides, rounds, bench.say);
        const finding = ratioFinding({
          what: 'p99 of a reply',
          unit: 'ms',
          ours: mine?.median ?? NaN,
          against: 'Express 5 that does nothing, same rate',
          baseline: other?.median ?? NaN,
          target: { atMost: 2 },
          rounds: { ours: mine?.figures ?? [], baseline: other?.figures ?? [] },
        });
        return { findings: [finding], notes: [`P5: open loop at ${rate} requests/s, half of ${Math.round(most)}/s.`] };
      } finally {
        await child.kill();
      }
    }),
};
