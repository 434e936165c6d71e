import type { AccountSettings } from './imitated-provider';
import { createLatency } from './latency';

const settings = (latencyMs: number, latencyP95Ms: number) => ({ latencyMs, latencyP95Ms }) as AccountSettings;

it('is constant without a 95th percentile', () => {
  const latency = createLatency(1);
  expect([latency(settings(40, 0)), latency(settings(40, 40)), latency(settings(0, 500))]).toEqual([40, 40, 0]);
});

it('is log-normal around the median, the same for the same seed', () => {
  const draw = (seed: number) => {
    const latency = createLatency(seed);
    return Array.from({ length: 4000 }, () => latency(settings(120, 350)));
  };
  const sorted = draw(3).toSorted((a, b) => a - b);
  expect(sorted[2000]).toBeGreaterThan(110);
  expect(sorted[2000]).toBeLessThan(130);
  expect(sorted[3800]).toBeGreaterThan(315);
  expect(sorted[3800]).toBeLessThan(385);
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3)).not.toEqual(draw(4));
});
