import type { AccountSettings } from './imitated-provider';
import { createLatency } from './latency';

const settings = (latencyMs: number, latencyP95Ms: number) => ({ latencyMs, latencyP95Ms }) as AccountSettings;
const create = { action: 'create', records: 1 };

it('is constant without a 95th percentile', () => {
  const latency = createLatency(1);
  const all = [settings(40, 0), settings(40, 40), settings(0, 500)].map((one) => latency(one, create));
  expect(all).toEqual([40, 40, 0]);
});

it('is log-normal around the median, the same for the same seed', () => {
  const draw = (seed: number) => {
    const latency = createLatency(seed);
    return Array.from({ length: 4000 }, () => latency(settings(120, 350), create));
  };
  const sorted = draw(3).toSorted((a, b) => a - b);
  expect(sorted[2000]).toBeGreaterThan(110);
  expect(sorted[2000]).toBeLessThan(130);
  expect(sorted[3800]).toBeGreaterThan(315);
  expect(sorted[3800]).toBeLessThan(385);
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3)).not.toEqual(draw(4));
});

// Source: docs/contributing/providers.md, 3, time behaviour.
it.each([
  ['create', 1, [120, 350, 1200]],
  ['read', 1, [60, 120, 400]],
  ['search', 0, [150, 600, 2000]],
  ['token', 0, [150, 500, 1500]],
  ['batch-read', 100, [60, 120, 400]],
  ['batch-create', 100, [750, 1500, 5000]],
  ['batch-update', 1, [156, 312, 5000]],
])('the typical profile, %s of %i', (action, records, expected) => {
  const latency = createLatency(5);
  const account = { ...settings(0, 0), latencyProfile: 'typical' } as AccountSettings;
  const sorted = Array.from({ length: 20_000 }, () => latency(account, { action, records })).toSorted((a, b) => a - b);
  for (const [at, rank] of [10_000, 19_000, 19_800].entries()) {
    const seen = sorted[rank] ?? 0;
    // Of 20,000 draws; the long tail is steep, so its quantile moves more.
    expect(Math.abs(seen / (expected[at] ?? 1) - 1)).toBeLessThan(at === 2 ? 0.35 : 0.12);
  }
});
