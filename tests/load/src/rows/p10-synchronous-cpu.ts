import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { ratioFinding } from '../harness/finding';
import type { LoadSpec } from '../harness/generate-load';
import { cpuSeconds, listenerOf } from '../harness/process-usage';
import { median } from '../harness/statistics';
import { writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

const connections = 16;

export const p10: Row = {
  id: 'P10',
  goal: 'CPU of the gateway per synchronous write, against node:http and undici that pass it on',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const passthrough = await startChild('baselines/passthrough', { providerUrl: bench.provider.url });
      try {
        const { rounds, roundMs, warmUp } = pace(bench);
        const postgres = listenerOf(Number(new URL(system.databaseUrl).port));
        const postgresMicroseconds: number[] = [];
        const { customers } = system.project;
        const ours: LoadSpec = { ...writeTarget(system), body: writeBody({}), groups: customers, connections };
        const { port } = passthrough.ready as { port: number };
        const theirs: LoadSpec = {
          url: `http://127.0.0.1:${port}/crm/v3/objects/contacts`,
          body: writeBody({}),
          connections,
        };
        const side = (name: string, spec: LoadSpec, pid: number, others: number[]) => ({
          name,
          measure: async (round: number) => {
            if (round === 0) await bench.load.run({ ...spec, ...warmUp });
            const before = [cpuSeconds([pid]), cpuSeconds([postgres])] as const;
            const { replies } = await bench.load.run({ ...spec, durationMs: roundMs });
            others.push(((cpuSeconds([postgres]) - before[1]) * 1e6) / replies);
            return ((cpuSeconds([pid]) - before[0]) * 1e6) / replies;
          },
        });
        const gatewayPid = system.service('write-gateway').pid;
        const sides = [
          side('ours', ours, gatewayPid, postgresMicroseconds),
          side('passthrough', theirs, passthrough.pid, []),
        ];
        const [mine, other] = await alternate(sides, rounds, bench.say);
        const finding = ratioFinding({
          what: 'CPU of one process per synchronous write',
          unit: 'µs',
          ours: mine?.median ?? NaN,
          against: 'node:http in, undici out, nothing between',
          baseline: other?.median ?? NaN,
          target: { atMost: 2.5 },
          rounds: { ours: mine?.figures ?? [], baseline: other?.figures ?? [] },
        });
        const note = `P10: provider at 0 ms, ${connections} callers. Postgres takes ${Math.round(median(postgresMicroseconds))} µs more per write of ours, which the ratio leaves out.`;
        return { findings: [finding], notes: [note] };
      } finally {
        await passthrough.kill();
      }
    }),
};
