import { useDatabase } from '../../test/use-database';
import { refusedStatement } from '../database-errors';
import { guarded } from '../guard';
import { connectionStore, type NewConnection } from './connection-store';
import { providerAppStore } from './provider-app-store';

const fixture = useDatabase();

const connection = (projectId: string, overrides: Partial<NewConnection> = {}): NewConnection => ({
  projectId,
  provider: 'hubspot',
  groupRef: 'acme',
  consumerRef: 'anna',
  authScheme: 'apiKey',
  reportedAccountRef: '4711',
  workspaceRef: '4711',
  seal: (id) => ({ text: `sealed for ${id}`, keyId: 'k1' }),
  ...overrides,
});

const lanesOf = (projectId: string) => fixture.database('lanes').where({ project_id: projectId }).select('account_ref');
const laneIdOf = async (projectId: string, id: string) =>
  (await fixture.database('connections').where({ project_id: projectId, id }).first<{ lane_id: string }>('lane_id'))
    .lane_id;

describe('connectionStore', () => {
  it('keeps a name that was given when a later connection gives none, and takes a new one', async () => {
    const connections = connectionStore(fixture.database);
    await connections.create(connection('p2', { groupName: 'First', consumerName: 'Anna' }));
    const silent = await connections.create(connection('p2'));
    expect([silent.group.groupName, silent.consumer.consumerName]).toEqual(['First', 'Anna']);
    const renamed = await connections.create(connection('p2', { groupName: 'Second', consumerName: 'Anna B.' }));
    expect([renamed.group.groupName, renamed.consumer.consumerName]).toEqual(['Second', 'Anna B.']);
    expect(renamed.group.updateTime).toEqual(expect.any(String));
  });

  // Two lanes for one account would double its concurrency and its quota.
  it('gives connections to one account one lane, also when they are made at once', async () => {
    const connections = connectionStore(fixture.database);
    const at = [...Array(8).keys()];
    await Promise.all(at.map((n) => connections.create(connection('p3', { groupRef: `g${n}`, consumerRef: `c${n}` }))));
    expect(await lanesOf('p3')).toEqual([{ account_ref: '4711' }]);
  });

  it('gives a connection without a known account a lane of its own', async () => {
    const connections = connectionStore(fixture.database);
    const first = await connections.create(connection('p4', { reportedAccountRef: undefined }));
    const second = await connections.create(connection('p4', { reportedAccountRef: undefined }));
    expect(await laneIdOf('p4', first.id)).not.toBe(await laneIdOf('p4', second.id));
    expect(await lanesOf('p4')).toEqual(
      expect.arrayContaining([{ account_ref: `connection:${first.id}` }, { account_ref: `connection:${second.id}` }]),
    );
  });

  // A 401 that an old token got says nothing about the token that replaced it.
  it('moves the status only for the stored token version, and only to another one', async () => {
    const connections = connectionStore(fixture.database);
    const { id } = await connections.create(connection('p6'));
    const change = { projectId: 'p6', connectionId: id, tokenVersion: 1, status: 'working' as const };
    expect(await connections.setStatus(change)).toBe(true);
    expect(await connections.setStatus(change)).toBe(false);
    expect(await connections.setStatus({ ...change, tokenVersion: 2, status: 'bad_credentials' })).toBe(false);
    expect(await connections.find('p6', id)).toMatchObject({ status: 'working', updateTime: expect.any(String) });
  });

  it('stores nothing when sealing fails', async () => {
    const connections = guarded(connectionStore(fixture.database), refusedStatement);
    const seal = () => {
      throw new TypeError('no key');
    };
    await expect(connections.create(connection('p7', { seal }))).rejects.toMatchObject({ code: 'service.defect' });
    expect(await connections.findNewest('p7', {})).toBeUndefined();
    expect(await fixture.database('groups').where({ project_id: 'p7' })).toEqual([]);
  });

  it('shows the app that it names, without its secret', async () => {
    const app = await providerAppStore(fixture.database).create({
      projectId: 'p10',
      provider: 'hubspot',
      clientId: 'client',
      scopes: ['crm'],
      seal: () => ({ text: 'sealed secret', keyId: 'k1' }),
    });
    const connections = connectionStore(fixture.database);
    const { id } = await connections.create(connection('p10', { providerAppId: app.id }));
    expect((await connections.find('p10', id))?.providerApp).toEqual(app);
    expect(await connections.findCredentials('p10', id)).toMatchObject({ providerAppId: app.id });
  });
});

describe('the end of an access token', () => {
  // Two minutes before the end, but not before four fifths of a short life.
  it.each<[tokenExpiresInMs: number | undefined, isExpiring: boolean]>([
    [undefined, false],
    [1_800_000, false],
    [60_000, false],
    [-1, true],
  ])('%s ms from now: expiring is %s', async (tokenExpiresInMs, isExpiring) => {
    const connections = connectionStore(fixture.database);
    const life = tokenExpiresInMs === undefined ? {} : { tokenExpiresInMs };
    const { id } = await connections.create(connection('p11', life));
    expect(await connections.findCredentials('p11', id)).toMatchObject({ isExpiring });
  });

  // Tokens that were issued together must not be refreshed together.
  it.each([1_800_000, 60_000])(
    'a life of %i ms is refreshed after 80 to 90 % of it, each at another moment',
    async (lifeMs) => {
      const made = Array.from({ length: 20 }, () =>
        connectionStore(fixture.database).create(connection('p12', { tokenExpiresInMs: lifeMs })),
      );
      const ids = (await Promise.all(made)).map(({ id }) => id);
      const rows = await fixture
        .database('connections')
        .where({ project_id: 'p12' })
        .whereIn('id', ids)
        .select<{ share: number }[]>(
          fixture.database.raw('extract(epoch from token_refresh_at - created_at)::float8 * 1000 / ? as share', [
            lifeMs,
          ]),
        );
      const shares = rows.map(({ share }) => share);
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.799);
      expect(Math.max(...shares)).toBeLessThanOrEqual(0.901);
      expect(Math.max(...shares) - Math.min(...shares)).toBeGreaterThan(0.02);
    },
  );
});

describe('the right to refresh', () => {
  const named = async (projectId: string) => {
    const connections = connectionStore(fixture.database);
    const { id: connectionId } = await connections.create(connection(projectId));
    return { connections, version: { projectId, connectionId, tokenVersion: 1 } };
  };
  const sealed = { text: 'sealed again', keyId: 'k2' };

  it('has one of many who want it at once, and only for the stored version', async () => {
    const { connections, version } = await named('p13');
    expect(await connections.takeRefreshLease({ ...version, tokenVersion: 2 }, 60_000)).toBeUndefined();
    const takers = Array.from({ length: 10 }, () => connections.takeRefreshLease(version, 60_000));
    expect((await Promise.all(takers)).filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it('is given back by its holder alone', async () => {
    const { connections, version } = await named('p14');
    const lease = (await connections.takeRefreshLease(version, 60_000)) as string;
    await connections.releaseRefreshLease(version, '2026-01-01T00:00:00Z');
    expect(await connections.takeRefreshLease(version, 60_000)).toBeUndefined();
    await connections.releaseRefreshLease(version, lease);
    expect(await connections.takeRefreshLease(version, 60_000)).toEqual(expect.any(String));
  });

  it('ends with the pair that is saved, which raises the version and sets created', async () => {
    const { connections, version } = await named('p15');
    await connections.setStatus({ ...version, status: 'bad_credentials' });
    await connections.takeRefreshLease(version, 60_000);
    expect(await connections.saveTokens({ ...version, sealed, expiresInMs: 1_800_000, scopes: ['a'] })).toBe(true);
    expect(await connections.findCredentials('p15', version.connectionId)).toMatchObject({
      sealed: 'sealed again',
      tokenVersion: 2,
      status: 'created',
      isExpiring: false,
    });
    expect(await connections.takeRefreshLease({ ...version, tokenVersion: 2 }, 1)).toEqual(expect.any(String));
  });

  // Two pairs of one refresh: the first that is saved stays, the other is thrown away.
  it('a pair of an older version replaces nothing', async () => {
    const { connections, version } = await named('p16');
    await connections.saveTokens({ ...version, sealed });
    expect(await connections.saveTokens({ ...version, sealed: { text: 'late', keyId: 'k1' } })).toBe(false);
    expect(await connections.findCredentials('p16', version.connectionId)).toMatchObject({ sealed: 'sealed again' });
  });
});
