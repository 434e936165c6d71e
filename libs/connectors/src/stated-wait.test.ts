import { retryAfterMs, statedWaitMs } from './stated-wait';

const now = Date.parse('2026-11-29T07:00:00Z');
const hour = 3_600_000;

test.each<[string, number | undefined]>([
  ['7', 7_000],
  ['1.2', 1_200],
  ['0.05', 50],
  [' 3 ', 3_000],
  ['Sun, 29 Nov 2026 07:01:00 GMT', 60_000],
  ['Sunday, 29-Nov-26 07:01:00 GMT', 60_000],
  ['2026-11-29T07:00:30Z', 30_000],
  ['2026-11-29T08:00:45.500+01:00', 45_500],
  [String(now / 1_000 + 90), 90_000],
  [String(now + 2_500), 2_500],
  ['9999999', 48 * hour],
  ['5s', 5_000],
  ['1500ms', 1_500],
  ['2 Minutes', 120_000],
  ['"7"', 7_000],
  ['+7', 7_000],
  // Two header lines arrive as one: msgraph-sdk-python, issue 1159.
  ['30,120', 120_000],
  ['3, Sun, 29 Nov 2026 07:01:00 GMT', 60_000],
  ['Sun Nov 29 07:01:00 2026', 60_000],
  ['2026-11-29 07:01:00', 60_000],
  ['1e3', undefined],
  ['5 apples', undefined],
  ['2026-11-29T06:59:00Z', undefined],
  [String(now / 1_000 - 90), undefined],
  ['0', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['until 3000', undefined],
  ['', undefined],
])('Retry-After: %s', (value, expected) => {
  expect(retryAfterMs({ 'retry-after': value }, now)).toBe(expected);
});

// Either clock may be wrong: the reply's own counts.
test.each(['Sun, 29 Nov 2026 09:00:10 GMT', '2026-11-29T09:00:10Z', String(now / 1_000 + 7_210)])(
  'a moment is read against the Date of the reply: %s',
  (value) => {
    const date = 'Sun, 29 Nov 2026 09:00:00 GMT';
    expect(retryAfterMs({ 'retry-after': value, date }, now)).toBe(10_000);
  },
);

/** Source: the rate limit pages of the providers; draft-ietf-httpapi-ratelimit-headers. */
test.each<[string, Record<string, string>, unknown, number | undefined]>([
  ['Zoho', { 'x-ratelimit-reset': String(now + 60_000) }, undefined, 60_000],
  ['Pipedrive', { 'x-ratelimit-reset': '2' }, undefined, 2_000],
  ['an older draft', { 'ratelimit-reset': '30' }, undefined, 30_000],
  ['a moment', { 'x-rate-limit-reset': '2026-11-29T07:00:05Z' }, undefined, 5_000],
  ['Close', { ratelimit: 'limit=40, remaining=0, reset=0.5' }, undefined, 500],
  ['the draft of today', { ratelimit: '"day";r=50;t=9000, "burst";r=0;t=5' }, undefined, 5_000],
  ['Zendesk', { 'zendesk-ratelimit-tickets-index': 'total=100; remaining=0; resets=41' }, undefined, 41_000],
  [
    'a limit of Zendesk that is not met',
    { 'zendesk-ratelimit-x': 'total=9; remaining=3; resets=41' },
    undefined,
    undefined,
  ],
  ['Close, in the body', {}, { error: { message: 'slow down', rate_reset: 0.81, rate_window: 8 } }, 810],
  [
    'Klaviyo, in the body',
    {},
    { errors: [{ detail: 'Request was throttled. Expected available in 12 seconds.' }] },
    12_000,
  ],
  ['minutes', {}, { message: 'Too many calls. Try again after 2 minutes' }, 120_000],
  ['milliseconds', {}, { message: 'retry in 250ms' }, 250],
  ['parameters', {}, { ok: false, parameters: { retry_after: 35 } }, 35_000],
  ['another name', { 'x-retry-after': '6' }, undefined, 6_000],
  ['milliseconds by name', { 'retry-after': 'later', 'retry-after-ms': '1500' }, undefined, 1_500],
  ['the seconds of an epoch', { 'ratelimit-reset': String(now / 1_000 + 30) }, undefined, 30_000],
  ['Retry-After first', { 'retry-after': '4', 'x-ratelimit-reset': '90' }, { retry_after: 60 }, 4_000],
  ['nothing', { 'x-ratelimit-limit': '90' }, { message: 'Too many' }, undefined],
  ['a list', {}, [{ retry_after: 5 }], undefined],
])('a 429 of %s', (_, headers, json, expected) => {
  expect(statedWaitMs({ status: 429, headers, json }, now)).toBe(expected);
});

// A success and a refusal state the window of the limit too, and wait for nothing.
test('a reset is no wait of another status', () => {
  expect(statedWaitMs({ status: 503, headers: { 'x-ratelimit-reset': '60' } }, now)).toBeUndefined();
  expect(statedWaitMs({ status: 503, headers: { 'retry-after': '60' } }, now)).toBe(60_000);
});
