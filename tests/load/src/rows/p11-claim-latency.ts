import { createStore } from '@sluice/store';
import { cloneDatabase, fillBacklog, seedInstallation } from '@sluice/testkit';
import type { Bench, Row } from '../harness/bench';
import { ratioFinding } from '../harness/finding';
import { percentile } from '../harness/statistics';

/** What an executor claims with. Source: services/executor/src/claim-loop.ts and the defaults of its settings. */
const lanesPerClaim = 16;
const perLane = 4;
const leaseMs = 6_000;
const lanes = 100;
/** Claims of one turn before the other backlog has its turn. */
const claimsPerTurn = 250;

export const p11: Row = {
  id: 'P11',
  goal: 'p99 of a claim with 1 M waiting calls, against 10 k',
  measure: async (bench) => {
    const large = bench.isQuick ? 2_000 : 1_000_000;
    const few = await openBacklog(bench, bench.isQuick ? 1_000 : 10_000);
    const many = await openBacklog(bench, large);
    try {
      const turns = bench.isQuick ? 1 : 16;
      for (let turn = 0; turn < turns; turn += 1) {
        // The first turn warms up.
        for (const side of [few, many])
          await claimInTurn(side, bench.isQuick ? 10 : claimsPerTurn, turn > 0 || bench.isQuick);
      }
      const p50 = (side: ClaimedBacklog): string => percentile(side.latenciesMs, 0.5).toFixed(2);
      const finding = ratioFinding({
        what: 'p99 of a claim',
        unit: 'ms',
        ours: percentile(many.latenciesMs, 0.99),
        against: '10,000 waiting',
        baseline: percentile(few.latenciesMs, 0.99),
        target: { atMost: 1.5 },
      });
      const size = `${many.latenciesMs.length} claims each, in turns of ${claimsPerTurn}, ${lanesPerClaim} of ${lanes} lanes and up to ${perLane} calls of each`;
      return { findings: [finding], notes: [`P11: ${size}; p50 ${p50(many)} and ${p50(few)} ms.`] };
    } finally {
      await Promise.all([few.close(), many.close()]);
    }
  },
};

interface ClaimedBacklog {
  readonly latenciesMs: number[];
  claim(isCounted: boolean): Promise<void>;
  close(): Promise<void>;
}

async function claimInTurn(backlog: ClaimedBacklog, claims: number, isCounted: boolean): Promise<void> {
  for (let claim = 0; claim < claims; claim += 1) await backlog.claim(isCounted);
}

/** A database with that many ready calls. What is claimed is given back at once and stands at the end of its lane again. */
async function openBacklog(bench: Bench, calls: number): Promise<ClaimedBacklog> {
  const database = await cloneDatabase();
  const store = createStore({ url: database.url, applicationName: 'sluice-bench', poolMax: 2 });
  const seeded = await seedInstallation(store);
  bench.say(`filling ${calls.toLocaleString('en-US')} calls`);
  const { laneIds } = await fillBacklog(database.url, seeded, { calls, lanes });
  const latenciesMs: number[] = [];
  let from = 0;
  return {
    latenciesMs,
    claim: async (isCounted) => {
      const turn = Array.from({ length: lanesPerClaim }, (_, index) => laneIds[(from + index) % laneIds.length] ?? '');
      from += lanesPerClaim;
      const asked = turn.map((laneId) => ({ projectId: seeded.projectId, laneId }));
      const limit = lanesPerClaim * perLane;
      const startedAtMs = performance.now();
      const { calls: claimed } = await store.writes.claim({
        owner: 'bench',
        lanes: asked,
        limit,
        perLane,
        leaseMs,
        isolated: false,
      });
      if (isCounted) latenciesMs.push(performance.now() - startedAtMs);
      if (claimed.length === 0) throw new Error('a claim found nothing, so its time means nothing');
      await store.writes.release(claimed.map((call) => ({ ...call, delayMs: 0, isInDoubt: false })));
    },
    close: async () => {
      await store.close();
      await database.drop();
    },
  };
}
