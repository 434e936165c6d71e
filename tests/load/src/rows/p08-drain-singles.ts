import { fillBacklog } from '@sluice/testkit';
import { alternate } from '../harness/alternate';
import { pace, type Bench, type Row } from '../harness/bench';
import { withDatabase } from '../harness/database';
import { assertNoFailure, drained } from '../harness/drain';
import { ratioFinding } from '../harness/finding';
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
      const sides = [
        { name: 'ours', measure: () => drainRound(bench, system, bench.isQuick ? 200 : 10_000) },
        { name: 'direct', measure: async () => perSecond(await bench.load.run(direct)) },
      ];
      const [mine, other] = await alternate(sides, rounds, bench.say);
      const finding = ratioFinding({
        what: 'single operations drained',
        unit: '/s',
        ours: mine?.median ?? NaN,
        against: `calls by the load generator straight to the imitated provider, ${directConnections} connections`,
        baseline: other?.median ?? NaN,
        target: { atLeast: 0.05 },
        rounds: { ours: mine?.figures ?? [], baseline: other?.figures ?? [] },
      });
      const note = `P8: 10,000 creates over ${lanes} accounts, prepared in the tables; one executor, timed from its first call.`;
      return { findings: [finding], notes: [note] };
    }),
};

/** @returns operations a second, from the provider's first call until the last operation has ended */
async function drainRound(bench: Bench, system: System, calls: number): Promise<number> {
  await fillBacklog(system.databaseUrl, await ownerOf(system, 0), { calls, lanes, type: 'create' });
  await bench.provider.reset();
  const executor = await system.start('executor');
  try {
    await until('the first call', async () => (await bench.provider.counts()).calls > 0);
    const startedAtMs = performance.now();
    await withDatabase(system.databaseUrl, async (database) => {
      await drained(database);
      await assertNoFailure(database);
    });
    return (calls * 1000) / (performance.now() - startedAtMs);
  } finally {
    await executor.kill('SIGTERM');
  }
}
