import type { QuotaAnswer } from '@sluice/redis';
import { connector } from '../test/builders';
import { createSearchPace } from './pace-searches';

const lane = { projectId: 'p1', laneId: 'l1' };
const { signal } = new AbortController();
const searching = connector({
  capabilities: { ...connector().capabilities, searchQuota: { limit: 5, windowMs: 1_000 } },
});
const granted: QuotaAnswer = { granted: true, retryAfterMs: 0 };
const refused = (retryAfterMs: number): QuotaAnswer => ({ granted: false, retryAfterMs });

/** Quota that returns these answers, then the last of them again, and records the requests. */
function answering(...answers: readonly QuotaAnswer[]) {
  const left = [...answers];
  const requested: unknown[] = [];
  const take = (...given: readonly unknown[]): Promise<QuotaAnswer> => {
    requested.push(given.at(-1));
    return Promise.resolve((left.length > 1 ? left.shift() : left[0]) ?? granted);
  };
  return { requested, pace: createSearchPace({ take }) };
}

describe('a search', () => {
  it('waits for quota that comes soon', async () => {
    const { requested, pace } = answering(refused(20), refused(5), granted);
    expect(await pace(signal).take(lane, searching, 'synchronous')).toEqual(granted);
    expect(requested).toEqual(['search', 'search', 'search']);
  });

  it('is refused at once where the quota comes too late', async () => {
    const { requested, pace } = answering(refused(10_000));
    expect(await pace(signal).take(lane, searching, 'synchronous')).toEqual(refused(10_000));
    expect(requested).toHaveLength(1);
  });

  it('does not wait where searches count as calls like any other', async () => {
    const { requested, pace } = answering(refused(20));
    expect(await pace(signal).take(lane, connector(), 'synchronous')).toEqual(refused(20));
    expect(requested).toHaveLength(1);
  });

  it('whose caller leaves takes no more quota', async () => {
    const leaving = new AbortController();
    const { requested, pace } = answering(refused(1_900));
    const waiting = pace(leaving.signal).take(lane, searching, 'synchronous');
    const behind = pace(leaving.signal).take(lane, searching, 'synchronous');
    leaving.abort();
    expect((await Promise.all([waiting, behind])).map((answer) => answer.granted)).toEqual([false, false]);
    expect(requested.length).toBeLessThanOrEqual(1);
  });
});

// A line that grows without end would keep every caller waiting, and hold their requests in memory.
it('searches of a lane wait in a queue of bounded length; others get the time to try again', async () => {
  const { requested, pace } = answering(refused(1_900));
  const leaving = new AbortController();
  const all = Array.from({ length: 20 }, () => pace(leaving.signal).take(lane, searching, 'synchronous'));
  const beyond = await Promise.all(all.slice(15));
  expect(beyond).toEqual(Array.from({ length: 5 }, () => refused(2_000)));
  const elsewhere = pace(leaving.signal).take({ ...lane, laneId: 'l2' }, searching, 'synchronous');
  leaving.abort();
  await Promise.all([...all, elsewhere]);
  // Only the first of each line asks.
  expect(requested.length).toBeLessThanOrEqual(2);
});

it("a question that fails is one search's failure", async () => {
  let isFailing = true;
  const take = () => {
    if (!isFailing) return Promise.resolve(granted);
    isFailing = false;
    return Promise.reject(new Error('no answer'));
  };
  const pace = createSearchPace({ take });
  const both = [1, 2].map(() => pace(signal).take(lane, searching, 'synchronous'));
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
