import { fillBacklog } from '@sluice/testkit';
import { alternate, roundsOf } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { cpuOf, stackProcesses } from '../harness/cpu';
import { withDatabase } from '../harness/database';
import { assertNoFailure, drained } from '../harness/drain';
import { comparedFinding, ownFinding } from '../harness/finding';
import { perSecond } from '../harness/generate-load';
import { ownerOf } from '../harness/owner-of';
import type { System } from '../harness/system';
import { until } from '../harness/until';
import { asynchronous, writeBody } from '../harness/write-body';

/** Source: goal P8. */
const directConnections = 16;
const lanes = 100;

export const p08: Row = {
  id: 'P8',
  goal: 'single asynchronous operations drained/s (claim, intent, call, settlement), against calls straight to the provider',
  measure: (bench) =>
    bench.withSystem({ services: [] }, async (system) => {
      const { rounds, roundMs } = pace(bench);
      const direct = {
        url: `${bench.provider.url}/crm/v3/objects/contacts`,
        headers: { authorization: 'Bearer bench-direct' },
        body: writeBody(asynchronous),
        connections: directConnections,
        durationMs: roundMs,
      };
      const microseconds: number[] = [];
      const ours = async (): Promise<number> => {
        const drain = await drainRound(bench, system, bench.isQuick ? 200 : 10_000);
        microseconds.push(drain.microseconds);
        return drain.perSecond;
      };
      const sides = [
        { name: 'ours', measure: ours },
        { name: 'direct', measure: async () => perSecond(await bench.load.run(direct)) },
      ] as const;
      const compared = await alternate(sides, rounds, bench.say);
      const rate = {
        what: 'single operations drained',
        unit: '/s',
        against: `calls by the load generator straight to the imitated provider, ${directConnections} connections`,
        target: { atLeast: 0.05 },
      };
      const cpu = { what: 'CPU of all processes per operation drained', unit: 'µs', against: 'itself' };
      const note = `P8: 10,000 creates over ${lanes} accounts, prepared in the tables; one executor, timed from its first call.`;
      return { findings: [comparedFinding(rate, ...compared), ownFinding(cpu, roundsOf(microseconds))], notes: [note] };
    }),
};

/** From the provider's first call until the last operation has ended. */
async function drainRound(bench: Bench, system: System, calls: number) {
  await fillBacklog(system.databaseUrl, await ownerOf(system, 0), { calls, lanes, type: 'create' });
  await bench.provider.reset();
  const executor = await system.start('executor');
  try {
    await until('the first call', async () => (await bench.provider.counts()).calls > 0);
    const startedAtMs = performance.now();
    const { result: tookMs, seconds } = await cpuOf(bench, [executor.pid, ...stackProcesses(bench)], () =>
      withDatabase(system.databaseUrl, async (database) => {
        await drained(database);
        await assertNoFailure(database);
        return performance.now() - startedAtMs;
      }),
    );
    return { perSecond: (calls * 1000) / tookMs, microseconds: (seconds * 1e6) / calls };
  } finally {
    await executor.kill('SIGTERM');
  }
}
