import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { withEmptyDatabase } from '../harness/empty-database';
import { comparedFinding } from '../harness/finding';
import type { LoadSpec } from '../harness/generate-load';
import { watchDisk } from '../harness/watch-disk';
import { acceptLoad, baselineLoad } from './accept';

/** The same for both sides, and below what either takes on two cores. Source: goal P5. */
const rate = 1_500;

export const p05: Row = {
  id: 'P5',
  goal: `p99 of an accept at ${rate.toLocaleString('en-US')}/s, against Express and one awaited insert of the same body`,
  measure: (bench) =>
    withEmptyDatabase((databaseUrl) =>
      bench.withSystem({ services: ['write-gateway'] }, async (system) => {
        const child = await startChild('baselines/group-commit', { databaseUrl });
        try {
          const { rounds, roundMs, warmUp } = pace(bench);
          const [ours, theirs] = [acceptLoad(system), baselineLoad((child.ready as { port: number }).port)];
          await bench.load.run({ ...ours, ...warmUp });
          await bench.load.run({ ...theirs, ...warmUp });
          const side = (name: string, spec: LoadSpec) => ({
            name,
            measure: async () => {
              if (!bench.isQuick) await clearBacklog(system);
              return (await bench.load.run({ ...spec, perSecond: rate, durationMs: roundMs })).p99Ms;
            },
          });
          const { result, slowestMs } = await watchDisk(() =>
            alternate([side('ours', ours), side('Express', theirs)], rounds, bench.say),
          );
          const against = 'Express 5 and one awaited insert shared by those that wait';
          const about = { what: 'p99 of a reply', unit: 'ms', against, target: { atMost: 1.5 } };
          const note = `P5: open loop at ${rate} requests/s, both sides. Slowest fdatasync of a file beside them: ${slowestMs.toFixed(0)} ms.`;
          return { findings: [comparedFinding(about, ...result)], notes: [note] };
        } finally {
          await child.kill();
        }
      }),
    ),
};
