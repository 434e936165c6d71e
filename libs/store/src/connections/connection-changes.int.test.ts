import { seedInstallation } from '@sluice/testkit';
import { useDatabase } from '../../test/use-database';

const fixture = useDatabase();

const seed = () => seedInstallation(fixture.store, { seal: (id) => ({ text: `sealed for ${id}`, keyId: 'k1' }) });
const sealed = { text: 'sealed anew', keyId: 'k2' };

describe('change', () => {
  // A refresh that was under way belongs to the credentials before: its pair must not undo the new ones.
  it('ends a refresh that is under way, and its pair is not stored', async () => {
    const { projectId, connectionId } = await seed();
    const key = { projectId, connectionId };
    expect(await fixture.store.connections.takeRefreshLease({ ...key, tokenVersion: 1 }, 60_000)).toBeDefined();
    await fixture.store.connections.setStatus({ ...key, tokenVersion: 1, status: 'bad_credentials' });
    expect(
      await fixture.store.connections.change({ ...key, credentials: { sealed, scopes: ['a'], expiresInMs: 1_000 } }),
    ).toBe(true);
    const late = { ...key, tokenVersion: 1, sealed: { text: 'late', keyId: 'k1' } };
    expect(await fixture.store.connections.saveTokens(late)).toBe(false);
    expect(await fixture.store.connections.findCredentials(projectId, connectionId)).toMatchObject({
      sealed: 'sealed anew',
      tokenVersion: 2,
      status: 'created',
      scopes: ['a'],
    });
    expect(await fixture.store.connections.takeRefreshLease({ ...key, tokenVersion: 2 }, 1_000)).toBeDefined();
  });

  it('leaves what is absent, clears what is null, and knows no other project', async () => {
    const { projectId, connectionId } = await seed();
    const providerMetadata = { region: { value: 'eu1', source: 'input' as const } };
    await fixture.store.connections.change({ projectId, connectionId, providerMetadata, workspaceRef: 'w' });
    const change = { projectId, connectionId, providerConsumerRef: 'u' };
    await fixture.store.connections.change(change);
    expect(await fixture.store.connections.find(projectId, connectionId)).toMatchObject({
      providerMetadata,
      providerWorkspaceRef: 'w',
      providerConsumerRef: 'u',
    });
    await fixture.store.connections.change({ projectId, connectionId, providerMetadata: null });
    expect((await fixture.store.connections.find(projectId, connectionId))?.providerMetadata).toEqual({
      workspace: { value: 'w', source: 'provider' },
    });
    expect(await fixture.store.connections.findCredentials(projectId, connectionId)).toMatchObject({ tokenVersion: 1 });
    expect(await fixture.store.connections.change({ ...change, projectId: 'another' })).toBe(false);
  });
});

describe('a connect session', () => {
  it('that has installed takes no other connection, and none is left of it', async () => {
    const { projectId, connectionId } = await seed();
    const { connections, connectSessions } = fixture.store;
    const who = { groupRef: 'g', consumerRef: 'ann' };
    const session = { ...who, projectId, id: 'session', integrationId: 'i', tokenHash: 'hash' };
    await connectSessions.save({ ...session, lifeMs: 60_000, max: 1 });
    const connectSessionId = session.id;
    await connections.change({ projectId, connectionId, connectSessionId });
    await connectSessions.change(session, { installationId: 'installed' });
    const before = await connections.findNewest(projectId, {});
    const other = { ...who, projectId, provider: 'hubspot', authScheme: 'apiKey', connectSessionId } as const;
    await expect(connections.create({ ...other, seal: () => ({ text: 's', keyId: 'k1' }) })).rejects.toMatchObject({
      code: 'connect-session.used',
    });
    expect(await connections.findNewest(projectId, {})).toEqual(before);
    // The same one may get newer credentials.
    expect(await connections.change({ projectId, connectionId, connectSessionId })).toBe(true);
  });
});

describe('change with addedMetadata', () => {
  const item = (value: string) => ({ value, source: 'input' as const });
  const reported = { region: { value: 'in', source: 'token' as const } };
  const metadataOf = async (key: { projectId: string; connectionId: string }) =>
    (await fixture.store.connections.find(key.projectId, key.connectionId))?.providerMetadata;

  it('replaces metadata members of the same names, or adds them', async () => {
    const { projectId, connectionId } = await seed();
    const key = { projectId, connectionId };
    const { workspace } = (await metadataOf(key)) ?? {};
    await fixture.store.connections.change({ ...key, addedMetadata: { region: item('eu') } });
    expect(await metadataOf(key)).toEqual({ workspace, region: item('eu') });
    await fixture.store.connections.change({ ...key, providerMetadata: { region: item('eu'), plan: item('gold') } });
    await fixture.store.connections.change({ ...key, addedMetadata: reported });
    expect(await metadataOf(key)).toEqual({ workspace, ...reported, plan: item('gold') });
    expect(await fixture.store.connections.change({ ...key, projectId: 'another', addedMetadata: reported })).toBe(
      false,
    );
  });

  it('loses none of twenty that come at once', async () => {
    const { projectId, connectionId } = await seed();
    const key = { projectId, connectionId };
    const names = Array.from({ length: 20 }, (_, at) => `name${at}`);
    await Promise.all(
      names.map((name) => fixture.store.connections.change({ ...key, addedMetadata: { [name]: item('x') } })),
    );
    expect(Object.keys((await metadataOf(key)) ?? {})).toEqual(expect.arrayContaining(names));
  });
});

describe('remove', () => {
  it('names an installation that uses it; what is not there is undefined', async () => {
    const { projectId, connectionId, installationId } = await seed();
    expect(await fixture.store.connections.remove({ projectId, connectionId })).toEqual({ usedBy: installationId });
    expect(await fixture.store.connections.remove({ projectId: 'another', connectionId })).toBeUndefined();
    expect(await fixture.store.connections.find(projectId, connectionId)).toBeDefined();
  });
});

describe('findAuthorized', () => {
  it("finds the newest of the group's connections to the account that a customer allowed", async () => {
    const { projectId } = await seed();
    const account = { projectId, provider: 'hubspot', groupRef: 'g', accountRef: '4711' };
    const make = async (authScheme: 'apiKey' | 'oauth2/authorizationCodePKCE', more: object = {}) => {
      const base = { projectId, provider: 'hubspot', groupRef: 'g', consumerRef: 'u', reportedAccountRef: '4711' };
      return (await fixture.store.connections.create({ ...base, authScheme, seal: () => sealed, ...more })).id;
    };
    await make('apiKey');
    expect(await fixture.store.connections.findAuthorized(account)).toBeUndefined();
    const first = await make('oauth2/authorizationCodePKCE');
    await make('oauth2/authorizationCodePKCE', { reportedAccountRef: '8' });
    await make('oauth2/authorizationCodePKCE', { groupRef: 'h' });
    expect(await fixture.store.connections.findAuthorized(account)).toBe(first);
    const second = await make('oauth2/authorizationCodePKCE');
    expect(await fixture.store.connections.findAuthorized(account)).toBe(second);
    expect(await fixture.store.connections.findAccount({ projectId, connectionId: second })).toEqual({
      accountRef: '4711',
    });
    const unknown = await make('apiKey', { reportedAccountRef: undefined });
    expect(await fixture.store.connections.findAccount({ projectId, connectionId: unknown })).toEqual({});
  });
});
