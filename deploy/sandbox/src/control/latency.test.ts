import { seededRandom } from './derived';
import { typicalMs } from './latency';

// Source: docs/contributing/providers.md, 3, time behaviour.
it.each([
  ['create', 1, [120, 350, 1200]],
  ['read', 1, [60, 120, 400]],
  ['search', 0, [150, 600, 2000]],
  ['token', 0, [150, 500, 1500]],
  ['batch-read', 100, [60, 120, 400]],
  ['batch-create', 100, [750, 1500, 5000]],
  ['batch-update', 1, [156, 312, 5000]],
])('%s of %i takes as long as at a provider', (action, records, expected) => {
  const random = seededRandom(5);
  const sorted = Array.from({ length: 20_000 }, () => typicalMs({ action, records }, random)).toSorted((a, b) => a - b);
  for (const [at, rank] of [10_000, 19_000, 19_800].entries()) {
    const seen = sorted[rank] ?? 0;
    // Of 20,000 draws; the long tail is steep, so its quantile moves more.
    expect(Math.abs(seen / (expected[at] ?? 1) - 1)).toBeLessThan(at === 2 ? 0.35 : 0.12);
  }
});
