import { dailyUsageOf, quotaOf } from './call-hubspot';

const headers = (limit: string, windowMs: string): Record<string, string> => ({
  'x-hubspot-ratelimit-max': limit,
  'x-hubspot-ratelimit-interval-milliseconds': windowMs,
});

test('reads the burst limit of the account', () => {
  expect(quotaOf(headers('190', '10000'))).toEqual({ limit: 190, windowMs: 10_000 });
});

test.each([
  ['no headers, as on search', {}],
  ['a limit that is no number', headers('many', '10000')],
  ['a limit of zero', headers('0', '10000')],
  ['no window', { 'x-hubspot-ratelimit-max': '190' }],
])('says nothing for %s', (_name, given) => {
  expect(quotaOf(given)).toBeUndefined();
});

const day = (limit: string, left: string): Record<string, string> => ({
  'x-hubspot-ratelimit-daily': limit,
  'x-hubspot-ratelimit-daily-remaining': left,
});

test.each([
  ['a private app', day('625000', '624990'), { used: 10, limit: 625_000 }],
  ['a day that is over', day('250000', '0'), { used: 250_000, limit: 250_000 }],
  ['an OAuth app, which is told nothing', {}, undefined],
  ['a limit of zero', day('0', '0'), undefined],
  ['more left than there is', day('10', '11'), undefined],
  ['no numbers', day('many', 'some'), undefined],
])('the day of %s', (_name, given, expected) => {
  expect(dailyUsageOf(given)).toEqual(expected);
});
