import { cloneDatabase } from '@sluice/testkit';
import { alternate, shortFigure, type Side } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { startChild, type Child } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { cpuOf, stackProcesses, systemProcesses } from '../harness/cpu';
import { comparedFinding, ownFinding } from '../harness/finding';
import type { LoadSpec } from '../harness/generate-load';
import type { System } from '../harness/system';
import { acceptLoad, baselineLoad, ourRate, rateOf } from './accept';

const note =
  'P1: one process each, 1 KB bodies, keep-alive, the generator on the same cores. Ours: API key, validation, plan, commit of three rows; no executor runs. CPU: gateway, management, Postgres, Redis and Kafka, until the announcements are out; of the lean Express its process and Postgres.';

const rows = 'a lean Express that commits the same three rows';
const apiKey = 'key of the lean Express, about as long as ours';

export const p01: Row = {
  id: 'P1',
  goal: `durable accepted writes/s at 128 connections, against Express 5 that does nothing, and their CPU over ${rows}`,
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const database = await cloneDatabase();
      const bare = await startChild('baselines/bare-express', {});
      const lean = await startChild('baselines/lean-accept', { databaseUrl: database.url, apiKey });
      try {
        const ofLean = { ...loadOf(lean), headers: { 'x-api-key': apiKey }, groups: system.project.customers };
        const against = 'Express 5 with express.json(), does nothing';
        const sides = [
          ourRate(bench, 'ours', system),
          rateOf(bench, against, loadOf(bare)),
          rateOf(bench, rows, ofLean, () => clearBacklog({ databaseUrl: database.url })),
        ] as const;
        const [ours, theirs, least] = await alternate(sides, pace(bench).rounds, bench.say);
        const floor = `${shortFigure(least.median / theirs.median)}×, ${rows}`;
        const about = { what: 'durable accepted writes', unit: '/s', against, target: { atLeast: 0.85 }, floor };
        const [postgres] = stackProcesses(bench);
        const cpu = await alternate(
          [
            cpuSide(bench, 'ours', system, { pids: systemProcesses(bench, system), load: acceptLoad(system) }),
            cpuSide(bench, rows, { databaseUrl: database.url }, { pids: [lean.pid, postgres], load: ofLean }),
          ] as const,
          pace(bench).rounds,
          bench.say,
        );
        const ofCpu = { what: 'CPU of all processes per accept', unit: 'µs' };
        const findings = [
          comparedFinding(about, ours, theirs),
          ownFinding({ ...ofCpu, against: 'itself', target: { atMost: 195 } }, cpu[0]),
          comparedFinding({ ...ofCpu, against: rows, target: { atMost: 1.5 } }, ...cpu),
        ];
        return { findings, notes: [note] };
      } finally {
        await Promise.all([bare.kill(), lean.kill()]);
        await database.drop();
      }
    }),
};

function loadOf({ ready }: Child): LoadSpec {
  return baselineLoad((ready as { port: number }).port);
}

/** Microseconds of these processes per accepted write, its announcement included: what decides how many a machine takes. */
function cpuSide(
  bench: Bench,
  name: string,
  database: Pick<System, 'databaseUrl'>,
  { pids, load }: { readonly pids: readonly number[]; readonly load: LoadSpec },
): Side {
  const measure = async (): Promise<number> => {
    if (!bench.isQuick) await clearBacklog(database);
    const work = () => bench.load.run({ ...load, durationMs: pace(bench).roundMs });
    const { result, seconds } = await cpuOf(bench, pids, work);
    return (seconds * 1e6) / result.replies;
  };
  return { name: `CPU of ${name}`, measure };
}
