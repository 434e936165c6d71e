import { Grant, type GrantSettings } from './grant';

const start = new Date('2026-01-01T00:00:00.000Z');
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);
const newGrant = (settings: Partial<GrantSettings> = {}) =>
  new Grant(
    {
      app: { clientId: 'id', clientSecret: 'secret' },
      rotateRefreshTokens: false,
      refreshTokenGraceMs: 0,
      ...settings,
    },
    { accessToken: 'access-0', refreshToken: 'refresh-0' },
    start,
  );
const issue = (grant: Grant, seconds: number) =>
  grant.issue((serial) => ({ accessToken: `access-${serial}`, refreshToken: `refresh-${serial}` }), {
    now: at(seconds),
    lifetimeSeconds: 1800,
  });

it('has a first token without end unless a life is asked for', () => {
  expect(newGrant().expiryOf('access-0')).toBeNull();
  expect(newGrant({ tokenLifetimeSeconds: 60 }).expiryOf('access-0')).toEqual(at(60));
  expect(newGrant().expiryOf('access-1')).toBeUndefined();
});

it('issues tokens with the life of the provider, and keeps earlier ones good', () => {
  const grant = newGrant();
  expect(issue(grant, 10)).toEqual({
    accessToken: 'access-1',
    refreshToken: 'refresh-0',
    isRefreshTokenNew: false,
    lifetimeSeconds: 1800,
  });
  expect([grant.expiryOf('access-0'), grant.expiryOf('access-1')]).toEqual([null, at(1810)]);
  expect([grant.accessToken, grant.refreshToken]).toEqual(['access-1', 'refresh-0']);
});

it('gives a new refresh token when they rotate, and after a revocation', () => {
  const rotating = newGrant({ rotateRefreshTokens: true });
  expect([issue(rotating, 0).refreshToken, issue(rotating, 1).refreshToken]).toEqual(['refresh-1', 'refresh-2']);
  const revoked = newGrant();
  revoked.revoke(at(5), 'revoked');
  expect([revoked.current.standing, revoked.expiryOf('access-0')]).toEqual(['revoked', at(5)]);
  expect(issue(revoked, 6)).toMatchObject({ refreshToken: 'refresh-1', isRefreshTokenNew: true });
  expect(revoked.current.standing).toBe('live');
});

it('takes a rotated refresh token once more within its grace, never without one', () => {
  for (const [refreshTokenGraceMs, isTaken] of [
    [0, false],
    [5000, true],
  ] as const) {
    const grant = newGrant({ rotateRefreshTokens: true, refreshTokenGraceMs });
    issue(grant, 10);
    expect(grant.takesRefreshToken('refresh-1', at(12))).toBe(true);
    expect(grant.takesRefreshToken('refresh-0', at(12))).toBe(isTaken);
    expect(grant.takesRefreshToken('refresh-0', at(15))).toBe(false);
    grant.revoke(at(12), 'revoked');
    expect(grant.takesRefreshToken('refresh-1', at(12))).toBe(false);
  }
});

it('ends tokens now and does not lengthen one that has ended', () => {
  const grant = newGrant({ tokenLifetimeSeconds: 60 });
  issue(grant, 30);
  grant.expire(at(70));
  expect([grant.expiryOf('access-0'), grant.expiryOf('access-1')]).toEqual([at(60), at(70)]);
});

it('forgets tokens a day after their end', () => {
  const grant = newGrant({ tokenLifetimeSeconds: 60 });
  issue(grant, 86_000);
  expect(grant.expiryOf('access-0')).toEqual(at(60));
  issue(grant, 86_461);
  expect(grant.expiryOf('access-0')).toBeUndefined();
});
