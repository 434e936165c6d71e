import { tokenFailure, type TokenSignal } from './token-failures';

const classOf = (signal: Partial<TokenSignal>) =>
  tokenFailure({ isTimeout: false, isWhole: true, ...signal }, {}, 0).class;

/** Source: reference A1, Refresh failures. */
test.each<[string, Partial<TokenSignal>, string]>([
  ['revoked or expired', { status: 400, error: 'invalid_grant', code: 'BAD_REFRESH_TOKEN' }, 'credentials'],
  ['revoked, told by error alone', { status: 400, error: 'invalid_grant' }, 'credentials'],
  ['revoked, told by status alone', { status: 400, code: 'BAD_REFRESH_TOKEN' }, 'credentials'],
  ['uninstalled', { status: 400, error: 'access_denied', code: 'BAD_HUB' }, 'credentials'],
  ['uninstalled, told by status alone', { status: 400, code: 'BAD_HUB' }, 'credentials'],
  ['a wrong client id', { status: 400, code: 'BAD_CLIENT_ID' }, 'rejected'],
  ['a refused app', { status: 400, error: 'invalid_client' }, 'rejected'],
  [
    'error decides before status, one way',
    { status: 400, error: 'invalid_client', code: 'BAD_REFRESH_TOKEN' },
    'rejected',
  ],
  [
    'error decides before status, the other way',
    { status: 400, error: 'invalid_grant', code: 'BAD_CLIENT_ID' },
    'credentials',
  ],
  ['401 without a word of revocation', { status: 401 }, 'rejected'],
  ['a redirect', { status: 302 }, 'rejected'],
  ['423', { status: 423 }, 'unavailable'],
  ['429', { status: 429 }, 'quota'],
  ['477', { status: 477 }, 'unavailable'],
  ['500', { status: 500 }, 'unavailable'],
  ['503 that speaks of revocation: the status wins', { status: 503, error: 'invalid_grant' }, 'unavailable'],
  ['429 that speaks of revocation: the status wins', { status: 429, error: 'invalid_grant' }, 'quota'],
  ['no reply', { isWhole: false }, 'unavailable'],
  ['no reply in time', { isTimeout: true, isWhole: false }, 'timeout'],
  ['a 400 that is cut off', { status: 400, isWhole: false }, 'unavailable'],
  ['a 400 that comes too slowly', { status: 400, isTimeout: true, isWhole: false }, 'timeout'],
  ['a 200 without token', { status: 200 }, 'unavailable'],
])('%s', (_, signal, expected) => {
  expect(classOf(signal)).toBe(expected);
});

test('the wait is the header, else the row, and only where it can be tried again', () => {
  const failure = (status: number, headers = {}) =>
    tokenFailure({ status, isTimeout: false, isWhole: true }, headers, 0);
  expect(failure(429)).toEqual({ class: 'quota', retryAfterMs: 10_000 });
  expect(failure(429, { 'retry-after': '3' })).toEqual({ class: 'quota', retryAfterMs: 3_000 });
  expect(failure(477)).toEqual({ class: 'unavailable', retryAfterMs: 60_000 });
  expect(failure(423)).toEqual({ class: 'unavailable', retryAfterMs: 2_000 });
  expect(failure(503, { 'retry-after': '30' })).toEqual({ class: 'unavailable', retryAfterMs: 30_000 });
  expect(failure(400, { 'retry-after': '3' })).toEqual({ class: 'rejected' });
});
