import { createInMemoryHints } from '@sluice/redis';
import { createMetrics } from '@sluice/telemetry';
import { connector } from '../test/builders';
import { createLaneQuotas, readLaneWindows } from './lane-quotas';

const declared = { limit: 110, windowMs: 3_600_000 };
const lanes = ['l1', 'l2', 'l3'].map((laneId) => ({ projectId: 'p1', laneId, declared }));

/** Hints in which 3 calls of the second lane were counted, by a limit that a reply stated, and of each other one. */
async function used() {
  const hints = createInMemoryHints();
  const quotas = createLaneQuotas(hints.quotas, createMetrics('test'), hints.cache);
  const withQuota = { ...connector(), capabilities: { ...connector().capabilities, quota: declared } };
  for (const lane of lanes) {
    if (lane.laneId === 'l2') quotas.learn(lane, { limit: 190, windowMs: 1_800_000 });
    for (let calls = 0; calls < (lane.laneId === 'l2' ? 3 : 1); calls += 1) {
      await quotas.take(lane, withQuota, 'synchronous');
    }
  }
  return hints;
}

it('each lane has what is left by the limit that was stated for it, else by the declared one', async () => {
  expect(await readLaneWindows(await used(), lanes)).toEqual([
    { ...declared, left: 109 },
    { limit: 190, windowMs: 1_800_000, left: 187 },
    { ...declared, left: 109 },
  ]);
  expect(await readLaneWindows(await used(), [])).toEqual([]);
});

// A limit may have been stated that cannot be read now: what is left of the declared one would be a guess.
it('nothing is known to be left while it is not known which limits were stated', async () => {
  const { quotas } = await used();
  const cache = { getMany: () => Promise.resolve(undefined) };
  expect(await readLaneWindows({ cache, quotas }, lanes)).toEqual([declared, declared, declared]);
  expect(await readLaneWindows(undefined, lanes)).toEqual([declared, declared, declared]);
});
