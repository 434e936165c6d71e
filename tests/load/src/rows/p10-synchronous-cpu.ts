import { alternate, roundsOf } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { startChild } from '../harness/child';
import { systemProcesses } from '../harness/cpu';
import { comparedFinding, ownFinding } from '../harness/finding';
import type { LoadSpec } from '../harness/generate-load';
import { cpuSeconds, listenerOf } from '../harness/process-usage';
import { writeBody } from '../harness/write-body';
import { writeTarget } from './accept';

const connections = 16;
const note = `P10: provider at 0 ms, ${connections} callers. All processes: gateway, management, Postgres, Redis and Kafka; a settlement stands before its reply, so nothing comes after.`;

export const p10: Row = {
  id: 'P10',
  goal: 'CPU per synchronous write, against node:http and undici that pass it on',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const passthrough = await startChild('baselines/passthrough', { providerUrl: bench.provider.url });
      try {
        const { rounds, roundMs, warmUp } = pace(bench);
        const { customers } = system.project;
        const write: LoadSpec = { ...writeTarget(system), body: writeBody({}), groups: customers, connections };
        const { port } = passthrough.ready as { port: number };
        const url = `http://127.0.0.1:${port}/crm/v3/objects/contacts`;
        const passed: LoadSpec = { url, body: writeBody({}), connections };
        const postgres = [listenerOf(Number(new URL(system.databaseUrl).port))];
        const all = systemProcesses(bench, system);
        const [postgresFigures, allFigures]: number[][] = [[], []];
        /** Microseconds per write of each of these groups of processes. */
        const perWrite = async (spec: LoadSpec, round: number, groups: readonly (readonly number[])[]) => {
          if (round === 0) await bench.load.run({ ...spec, ...warmUp });
          const before = groups.map(cpuSeconds);
          const { replies } = await bench.load.run({ ...spec, durationMs: roundMs });
          return groups.map((pids, index) => ((cpuSeconds(pids) - (before[index] ?? NaN)) * 1e6) / replies);
        };
        const ours = async (round: number): Promise<number> => {
          const groups = [[system.service('write-gateway').pid], postgres, all];
          const [gateway = NaN, database = NaN, total = NaN] = await perWrite(write, round, groups);
          postgresFigures?.push(database);
          allFigures?.push(total);
          return gateway;
        };
        const theirs = async (round: number) => (await perWrite(passed, round, [[passthrough.pid]]))[0] ?? NaN;
        const sides = [
          { name: 'ours', measure: ours },
          { name: 'passthrough', measure: theirs },
        ] as const;
        const compared = await alternate(sides, rounds, bench.say);
        const about = { unit: 'µs', against: 'node:http in, undici out, nothing between' };
        const own = { unit: 'µs', against: 'itself' };
        const findings = [
          comparedFinding(
            {
              ...about,
              what: 'CPU of one process per synchronous write',
              target: { atMost: 4 },
              floor: '2 to 2.5×, the pass-through with two durable statements',
            },
            ...compared,
          ),
          ownFinding(
            {
              ...own,
              what: 'CPU of Postgres per synchronous write',
              target: { atMost: 300 },
              floor: '250 µs, the same',
            },
            roundsOf(postgresFigures ?? []),
          ),
          ownFinding({ ...own, what: 'CPU of all processes per synchronous write' }, roundsOf(allFigures ?? [])),
        ];
        return { findings, notes: [note] };
      } finally {
        await passthrough.kill();
      }
    }),
};
