import { createInMemoryRedis, type QuotaBuckets, type QuotaRequest } from '@sluice/redis';
import { createMetrics } from '@sluice/telemetry';
import { connector } from '../test/builders';
import { LaneQuotas, type LaneGate, readLaneWindows, takeLaneQuota } from './lane-quotas';

function bucketsThatRemember() {
  const taken: [bucket: string, request: QuotaRequest][] = [];
  const buckets: QuotaBuckets = {
    take: (bucket, request) => {
      taken.push([bucket, request]);
      return Promise.resolve({ granted: true, retryAfterMs: 0 });
    },
    exhaust: () => Promise.resolve(),
  };
  return { taken, buckets };
}

const lane = { projectId: 'p1', laneId: 'l1' };
const other = { projectId: 'p2', laneId: 'l1' };

describe('lane quotas', () => {
  it('count by what the connector declares, per lane, until a reply says more', async () => {
    const { taken, buckets } = bucketsThatRemember();
    const quotas = new LaneQuotas(buckets, createMetrics('test'));
    await quotas.take(lane, connector(), 'asynchronous');
    quotas.learn(lane, { limit: 190, windowMs: 10_000 });
    await quotas.take(lane, connector(), 'synchronous');
    await quotas.take(other, connector(), 'asynchronous');
    expect(taken).toEqual([
      ['p1/l1', { limit: 110, windowMs: 10_000, priority: 'asynchronous', isLeasable: true }],
      ['p1/l1', { limit: 190, windowMs: 10_000, priority: 'synchronous', isLeasable: true }],
      ['p2/l1', { limit: 110, windowMs: 10_000, priority: 'asynchronous', isLeasable: true }],
    ]);
  });

  // Memory stays bounded; what is forgotten is learned from the next reply.
  it('forget the lane that was learned first, when there are too many', async () => {
    const { taken, buckets } = bucketsThatRemember();
    const quotas = new LaneQuotas(buckets, createMetrics('test'));
    const laneOf = (number: number) => ({ projectId: 'p1', laneId: String(number) });
    for (let number = 0; number <= 10_000; number += 1) quotas.learn(laneOf(number), { limit: 190, windowMs: 10_000 });
    for (const number of [0, 1, 10_000]) await quotas.take(laneOf(number), connector(), 'asynchronous');
    expect(taken.map(([, { limit }]) => limit)).toEqual([110, 190, 190]);
    quotas.learn(laneOf(10_000), { limit: 200, windowMs: 10_000 });
    await quotas.take(laneOf(1), connector(), 'asynchronous');
    expect(taken.at(-1)?.[1].limit).toBe(190);
  });

  it('publish a limit when it is new, and not with every reply', () => {
    const published: unknown[] = [];
    const shown = {
      get: () => Promise.resolve(undefined),
      set: (...sent: unknown[]) => Promise.resolve(void published.push(sent)),
    };
    const quotas = new LaneQuotas(bucketsThatRemember().buckets, createMetrics('test'), shown);
    for (const limit of [190, 190, 250]) quotas.learn(lane, { limit, windowMs: 10_000 });
    expect(published).toEqual([
      ['lane-limit:p1/l1', '190/10000', 3_600_000],
      ['lane-limit:p1/l1', '250/10000', 3_600_000],
    ]);
  });

  // A process that has just started would refuse as long as the others send more than the declared limit, and so never learn.
  it('count by the limit that other processes learned, before a lane is refused by the declared one', async () => {
    const redis = createInMemoryRedis();
    const [busy, started] = [1, 2].map(() => new LaneQuotas(redis.quotas, createMetrics('test'), redis.cache));
    busy?.learn(lane, { limit: 190, windowMs: 60_000 });
    const { capabilities } = connector();
    const minute = connector({ capabilities: { ...capabilities, quota: { limit: 110, windowMs: 60_000 } } });
    for (let sent = 0; sent < 120; sent += 1) await busy?.take(lane, minute, 'asynchronous');
    expect((await started?.take(lane, minute, 'synchronous'))?.granted).toBe(true);
    expect((await started?.take(lane, minute, 'synchronous'))?.granted).toBe(true);
    for (let sent = 0; sent < 120; sent += 1) await busy?.take(other, minute, 'synchronous');
    expect((await started?.take(other, minute, 'synchronous'))?.granted).toBe(false);
  });

  it('keep what they know when a reply says nothing', async () => {
    const { taken, buckets } = bucketsThatRemember();
    const quotas = new LaneQuotas(buckets, createMetrics('test'));
    quotas.learn(lane, { limit: 190, windowMs: 10_000 });
    quotas.learn(lane, undefined);
    await quotas.take(lane, connector(), 'asynchronous');
    expect(taken[0]?.[1].limit).toBe(190);
  });

  describe('of searches, where the provider has a limit for them alone', () => {
    const searching = () =>
      connector({ capabilities: { ...connector().capabilities, searchQuota: { limit: 2, windowMs: 60_000 } } });

    it('have a bucket of their own, and elsewhere that of the account', async () => {
      const { taken, buckets } = bucketsThatRemember();
      const quotas = new LaneQuotas(buckets, createMetrics('test'));
      quotas.learn(lane, { limit: 190, windowMs: 10_000 });
      await quotas.take(lane, searching(), 'synchronous', 'search');
      await quotas.take(lane, connector(), 'synchronous', 'search');
      expect(taken).toEqual([
        ['p1/l1/search', { limit: 2, windowMs: 60_000, priority: 'synchronous', isLeasable: true }],
        ['p1/l1', { limit: 190, windowMs: 10_000, priority: 'synchronous', isLeasable: true }],
      ]);
    });

    it('are used up without a call of another kind being refused', async () => {
      const redis = createInMemoryRedis();
      const quotas = new LaneQuotas(redis.quotas, createMetrics('test'), redis.cache);
      const take = async (quota: 'account' | 'search') =>
        (await quotas.take(lane, searching(), 'synchronous', quota)).granted;
      expect([await take('search'), await take('search'), await take('search')]).toEqual([true, true, false]);
      expect(await take('account')).toBe(true);
    });

    it('are blocked for all processes, and nothing else is', async () => {
      const redis = createInMemoryRedis();
      const [met, another] = [1, 2].map(() => new LaneQuotas(redis.quotas, createMetrics('test'), redis.cache));
      await met?.blockSearches(lane, searching(), 5_000);
      const answer = await another?.take(lane, searching(), 'synchronous', 'search');
      expect(answer?.granted).toBe(false);
      expect(answer?.retryAfterMs).toBeGreaterThan(4_000);
      expect((await another?.take(lane, searching(), 'synchronous'))?.granted).toBe(true);
      const elsewhere = { ...lane, laneId: 'l2' };
      expect((await another?.take(elsewhere, searching(), 'synchronous', 'search'))?.granted).toBe(true);
    });
  });
});

function gate(blockedMs: number, granted: boolean) {
  const taken: string[] = [];
  const laneGate: LaneGate = {
    store: { writes: { readLaneBlock: ({ laneId }) => Promise.resolve(laneId === 'l1' ? blockedMs : 0) } },
    quotas: {
      take: ({ laneId }, _connector, priority) => {
        taken.push(`${laneId} ${priority}`);
        return Promise.resolve({ granted, retryAfterMs: granted ? 0 : 700 });
      },
    },
  };
  return { laneGate, taken };
}

describe('takeLaneQuota', () => {
  it('takes quota as a call that somebody waits for', async () => {
    const { laneGate, taken } = gate(0, true);
    expect(await takeLaneQuota(laneGate, lane, connector())).toMatchObject({ granted: true });
    expect(taken).toEqual(['l1 synchronous']);
  });

  it.each([
    {
      what: 'a spent quota of an account that is blocked, by what its provider said',
      of: gate(5_000, false),
      error: { detail: expect.stringMatching(/blocked after/), retryAfterMs: 5_000 },
    },
    {
      what: 'a spent quota',
      of: gate(0, false),
      error: { detail: expect.stringMatching(/quota is used up/), retryAfterMs: 700 },
    },
  ])('refuses $what', async ({ of, error }) => {
    await expect(takeLaneQuota(of.laneGate, lane, connector())).rejects.toMatchObject({ class: 'quota', ...error });
  });
});

const declared = { limit: 110, windowMs: 3_600_000 };
const lanes = ['l1', 'l2', 'l3'].map((laneId) => ({ projectId: 'p1', laneId, declared }));

/** Hints in which 3 calls of the second lane were counted, by a limit that a reply stated, and of each other one. */
async function used() {
  const redis = createInMemoryRedis();
  const quotas = new LaneQuotas(redis.quotas, createMetrics('test'), redis.cache);
  const withQuota = { ...connector(), capabilities: { ...connector().capabilities, quota: declared } };
  for (const each of lanes) {
    if (each.laneId === 'l2') quotas.learn(each, { limit: 190, windowMs: 1_800_000 });
    for (let calls = 0; calls < (each.laneId === 'l2' ? 3 : 1); calls += 1) {
      await quotas.take(each, withQuota, 'synchronous');
    }
  }
  return redis;
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
