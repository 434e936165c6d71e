import { alternate, roundsOf } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { clearBacklog } from '../harness/clear-backlog';
import { cpuOf, systemProcesses } from '../harness/cpu';
import { comparedFinding, ownFinding, type Finding } from '../harness/finding';
import type { System } from '../harness/system';
import { acceptLoad, baselineLoad, ourRate, rateOf } from './accept';

const note =
  'P1: one process each, 1 KB bodies, keep-alive, the generator on the same cores. Ours: API key, validation, plan, commit of three rows; no executor runs. CPU: gateway, management, Postgres, Redis and Kafka, until the announcements are out.';

export const p01: Row = {
  id: 'P1',
  goal: 'durable accepted writes/s at 128 connections, against Express 5 that does nothing',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const child = await startChild('baselines/bare-express', {});
      try {
        const theirs = baselineLoad((child.ready as { port: number }).port);
        const against = 'Express 5 with express.json(), does nothing';
        const sides = [ourRate(bench, 'ours', system), rateOf(bench, against, theirs)] as const;
        const compared = await alternate(sides, pace(bench).rounds, bench.say);
        const about = { what: 'durable accepted writes', unit: '/s', against, target: { atLeast: 0.85 } };
        const floor = '1.41×, a lean Express that commits the same three rows';
        const findings = [comparedFinding({ ...about, floor }, ...compared), await acceptCpu(bench, system)];
        return { findings, notes: [note] };
      } finally {
        await child.kill();
      }
    }),
};

/** CPU of all processes per accepted write, its announcement included: what decides how many a machine takes. */
async function acceptCpu(bench: Bench, system: System): Promise<Finding> {
  const { rounds, roundMs } = pace(bench);
  const pids = systemProcesses(bench, system);
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (!bench.isQuick) await clearBacklog(system);
    const load = { ...acceptLoad(system), durationMs: roundMs };
    const { result, seconds } = await cpuOf(bench, pids, () => bench.load.run(load));
    figures.push((seconds * 1e6) / result.replies);
  }
  const about = { what: 'CPU of all processes per accept', unit: 'µs', against: 'itself', target: { atMost: 195 } };
  return ownFinding({ ...about, floor: '117 µs, a lean Express with the same durable rows' }, roundsOf(figures));
}
