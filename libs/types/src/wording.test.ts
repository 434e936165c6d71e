import { clockTime, pluralize } from './wording';

// A batch may collect for a day and a write be retried for two: a time of day alone would be taken for today's.
describe('clockTime', () => {
  const near = '2026-11-22T18:48:39.060Z';
  it.each([
    ['2026-11-22T23:59:59.999Z', '23:59:59.999'],
    ['2026-11-23T00:00:00.000Z', '2026-11-23 00:00:00.000'],
    ['2026-11-21T18:48:39.060Z', '2026-11-21 18:48:39.060'],
    // The same day of another month.
    ['2026-12-22T18:48:39.060Z', '2026-12-22 18:48:39.060'],
  ])('%s is %s', (moment, shown) => {
    expect(clockTime(moment, near)).toBe(shown);
  });
});

it.each([
  [1, '1 record'],
  [0, '0 records'],
  [100_000, '100,000 records'],
])('%d is printed as %s', (count, text) => expect(pluralize(count, 'record')).toBe(text));
