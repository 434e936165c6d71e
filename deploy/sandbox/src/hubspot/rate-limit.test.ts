import { defaultRateLimits, RateLimiter } from './rate-limit';

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

function admitted(
  limiter: RateLimiter,
  limits: Partial<typeof defaultRateLimits>,
  moments: readonly number[],
  kind: 'search' | 'other' = 'other',
) {
  return moments.map((ms) => limiter.admit(kind, { ...defaultRateLimits, ...limits }, at(ms)) === undefined);
}

it('slides over ten seconds', () => {
  const result = admitted(new RateLimiter(1), { perTenSeconds: 2 }, [0, 5000, 9999, 10_000, 10_001, 15_000]);
  expect(result).toEqual([true, true, false, true, false, true]);
});

it('counts searches apart, by the second', () => {
  const limiter = new RateLimiter(1);
  expect(admitted(limiter, { searchesPerSecond: 2 }, [0, 1, 2, 1000], 'search')).toEqual([true, true, false, true]);
  expect(admitted(limiter, { perTenSeconds: 1 }, [1001])).toEqual([true]);
});

it('refuses a search with its own policy and group', () => {
  const limiter = new RateLimiter(7);
  const limits = { ...defaultRateLimits, searchesPerSecond: 1 };
  limiter.admit('search', limits, at(0));
  const { status, fields } = limiter.admit('search', limits, at(1)) ?? {};
  expect(status).toBe(429);
  expect(fields?.extra).toMatchObject({ policyName: 'SECONDLY', groupName: 'publicapi:crm:search:7' });
});

it('has a daily limit that starts again at midnight UTC', () => {
  const result = admitted(new RateLimiter(1), { perDay: 1 }, [0, 20_000, 86_400_000]);
  expect(result).toEqual([true, false, true]);
});

it('reports what is left, except for searches', () => {
  const limiter = new RateLimiter(1);
  limiter.admit('other', defaultRateLimits, at(0));
  limiter.admit('other', defaultRateLimits, at(1));
  expect(limiter.headers('other', defaultRateLimits, at(1))).toEqual({
    'X-HubSpot-RateLimit-Max': '110',
    'X-HubSpot-RateLimit-Remaining': '108',
    'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
    'X-HubSpot-RateLimit-Daily': '625000',
    'X-HubSpot-RateLimit-Daily-Remaining': '624998',
  });
  expect(limiter.headers('search', defaultRateLimits, at(2))).toEqual({});
});
