import { pauseBeforeRetryMs } from './retry-pause';

const hourMs = 3_600_000;

it('spreads 13 attempts over two days, and ends there', () => {
  const pauses: number[] = [];
  for (let tries = 1; ; tries += 1) {
    const pauseMs = pauseBeforeRetryMs(tries, 0);
    if (pauseMs === undefined) break;
    pauses.push(pauseMs);
  }
  expect(pauses).toHaveLength(12);
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  const totalMs = pauses.reduce((sum, pauseMs) => sum + pauseMs, 0);
  expect(totalMs).toBeGreaterThan(47 * hourMs);
  expect(totalMs).toBeLessThanOrEqual(48 * hourMs);
});

it('never waits longer than the pause, and at most a tenth less', () => {
  expect(pauseBeforeRetryMs(1, 0)).toBe(5_000);
  expect(pauseBeforeRetryMs(1, 1)).toBe(4_500);
});
