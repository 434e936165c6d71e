import { quotaOf } from './quota-headers';

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
