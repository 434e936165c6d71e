import assert from 'node:assert/strict';
import { hasClass, idOf, newSeed, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function refreshCases(
  { connector, objectName, fields }: ConnectorHarness,
  grants: NonNullable<ConnectorHarness['grants']>,
): ConformanceCase[] {
  const { refresh, create } = connector;
  if (!refresh || !create) return [];
  return [
    toTest('refresh: a token that works in place of one that ended', async () => {
      const { auth, refresh: request } = await grants.good();
      const { accessToken, expiresAt, refreshToken } = await refresh(request);
      assert.notEqual(accessToken, auth.accessToken);
      assert.ok(expiresAt === undefined || expiresAt > new Date());
      assert.notEqual(refreshToken, '');
      idOf(await create({ auth: { ...auth, accessToken }, objectName, fields: fields(newSeed()) }));
    }),
    toTest('refresh: a grant that is gone means bad credentials', async () => {
      const { refresh: request } = await grants.revoked();
      await assert.rejects(refresh(request), (error) => hasClass(error, 'credentials'));
    }),
    toTest('refresh: an app that is refused says nothing of the connection', async () => {
      const { refresh: request } = await grants.refusedApp();
      await assert.rejects(refresh(request), (error) => hasClass(error, 'rejected'));
    }),
  ];
}
