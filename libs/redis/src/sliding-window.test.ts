import { allowanceOf, SlidingWindow } from './redis-quotas';

const allowance = (limit: number, windowMs: number) => allowanceOf({ limit, windowMs, reserve: 0 });

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('SlidingWindow', () => {
  it.each([1, 2, 3, 4, 5])('never grants more than the limit in any window, at random moments (seed %d)', (seed) => {
    const random = randomOf(seed);
    const windowMs = 50 + Math.floor(random() * 20_000);
    const limit = 1 + Math.floor(random() * 200);
    const window = new SlidingWindow(windowMs);
    const granted: number[] = [];
    let nowMs = random() * 1e6;
    for (let index = 0; index < 20_000; index += 1) {
      nowMs += random() < 0.02 ? random() * windowMs : (random() * 2 * windowMs) / limit;
      if (window.take(nowMs, allowance(limit, windowMs)).granted) granted.push(nowMs);
    }
    const spans = granted.slice(limit).map((atMs, index) => atMs - (granted[index] ?? atMs));
    expect(spans.length).toBeGreaterThan(0);
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(windowMs);
  });

  it('gives at least 95 % of the limit to a user who always asks', () => {
    const window = new SlidingWindow(10_000);
    let grants = 0;
    for (let nowMs = 0; nowMs < 1_000_000; nowMs += 5)
      if (window.take(nowMs, allowance(110, 10_000)).granted) grants += 1;
    expect(grants).toBeGreaterThan(110 * 100 * 0.95);
  });

  it('says exactly when a request will be granted', () => {
    const window = new SlidingWindow(10_000);
    window.record(1_000, 60);
    window.record(6_000, 50);
    const request = { ...allowance(110, 10_000), cost: 70 };
    const { granted, retryAfterMs } = window.take(9_000, request);
    expect(granted).toBe(false);
    expect(window.take(9_000 + retryAfterMs - 1, request).granted).toBe(false);
    expect(window.take(9_000 + retryAfterMs, request).granted).toBe(true);
  });

  it('counts what others were granted', () => {
    const window = new SlidingWindow(10_000);
    expect(window.take(0, allowance(10, 10_000), 10).granted).toBe(false);
    expect(window.take(0, allowance(10, 10_000), 9).granted).toBe(true);
  });
});

describe('allowanceOf', () => {
  it.each([
    ['half of it alone', { limit: 110, windowMs: 10_000, reserve: 0 }, 0.5, 55],
    ['half of it with its reserve', { limit: 110, windowMs: 10_000 }, 0.5, 44],
    ['one call at least', { limit: 1, windowMs: 1_000 }, 0.5, 1],
    ['one call at least, whatever the reserve', { limit: 5, windowMs: 1_000, reserve: 1 }, 1, 1],
    ['a reserve out of range', { limit: 10, windowMs: 1_000, reserve: -3 }, 1, 10],
    ['nothing of nothing', { limit: 0, windowMs: 1_000 }, 1, 0],
  ])('%s', (_, request, share, calls) => {
    expect(allowanceOf(request, share).calls).toBe(calls);
  });
});
