import { nextDelayMs } from './decide-settlement';

const hour = 3_600_000;
const most = () => 0.999_999_999;
const half = () => 0.5;
const least = () => 0;

describe('nextDelayMs', () => {
  // Base 2 s, doubling, cap 15 min, full jitter.
  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [9, 512_000],
    [10, 900_000],
    [30, 900_000],
    [5_000, 900_000],
  ])(
    'after %i attempts waits between nothing and %i ms [write.rule-4] [operation-status.retried]',
    (attempt, ceiling) => {
      expect(nextDelayMs(attempt, 48 * hour, 0, most)).toBe(ceiling);
      expect(nextDelayMs(attempt, 48 * hour, 0, half)).toBe(ceiling / 2);
      expect(nextDelayMs(attempt, 48 * hour, 0, least)).toBe(0);
    },
  );

  it('never waits less than the provider asks for, and more where the backoff is longer', () => {
    expect(nextDelayMs(1, hour, 10_000, most)).toBe(10_000);
    expect(nextDelayMs(6, hour, 10_000, most)).toBe(64_000);
    expect(nextDelayMs(6, hour, 10_000, least)).toBe(10_000);
  });

  it('clips to a last try one second before the deadline', () => {
    expect(nextDelayMs(10, 60_000, 0, most)).toBe(59_000);
    expect(nextDelayMs(10, 60_000, 59_000, most)).toBe(59_000);
    expect(nextDelayMs(1, 3_000, 0, most)).toBe(2_000);
  });

  it.each([1_000, 999, 0, -1, -hour])('gives none with %i ms left: there is no time for a try', (leftMs) => {
    expect(nextDelayMs(1, leftMs, 0, half)).toBeUndefined();
  });

  it('gives none when the provider asks for longer than is left', () => {
    expect(nextDelayMs(1, 60_000, 59_001, half)).toBeUndefined();
  });

  // A record that fails each time must come to an end, with its last try just before the deadline.
  it('leads to an end', () => {
    let leftMs = hour;
    let attempt = 1;
    for (; attempt < 10_000; attempt += 1) {
      const delayMs = nextDelayMs(attempt, leftMs, 0, most);
      if (delayMs === undefined) break;
      leftMs -= delayMs;
      expect(leftMs).toBeGreaterThanOrEqual(1_000);
    }
    expect(leftMs).toBe(1_000);
    expect(attempt).toBeLessThan(20);
  });
});
