import { useDatabase } from '../../test/use-database';
import { oauthStateStore, type NewOAuthState } from './oauth-state-store';

const fixture = useDatabase();

const minimal = {
  projectId: 'p1',
  provider: 'hubspot',
  providerAppId: 'app-1',
  groupRef: 'g',
  consumerRef: 'u',
  redirectUri: 'https://a/b',
};
const state = (stateHash: string, more: Partial<NewOAuthState> = {}): NewOAuthState => ({
  ...minimal,
  stateHash,
  verifier: { text: `sealed for ${stateHash}`, keyId: 'k1' },
  ...more,
});

it('gives back every member', async () => {
  const states = oauthStateStore(fixture.database);
  const more = {
    groupName: 'Group',
    consumerName: 'User',
    workspaceRef: 'acme',
    providerMetadata: { region: { value: 'eu1', source: 'input' as const } },
    connectionId: 'c-1',
    connectSessionId: 's-1',
    openerOrigin: 'https://app.example',
    cookieHash: 'h',
  };
  await states.save(state('full', more), 60_000);
  await states.save(state('minimal'), 60_000);
  const sealed = (stateHash: string) => ({ stateHash, sealedVerifier: `sealed for ${stateHash}` });
  expect(await states.take({ projectId: 'p1', stateHash: 'full' })).toEqual({ ...minimal, ...more, ...sealed('full') });
  expect(await states.take({ projectId: 'p1', stateHash: 'minimal' })).toEqual({ ...minimal, ...sealed('minimal') });
});

// A state that two could use would connect an account twice, once for whoever overheard it.
it('is taken by one of twenty', async () => {
  const states = oauthStateStore(fixture.database);
  await states.save(state('raced'), 60_000);
  const takers = Array.from({ length: 20 }, () => states.take({ projectId: 'p1', stateHash: 'raced' }));
  expect((await Promise.all(takers)).filter(Boolean)).toHaveLength(1);
  expect(await states.take({ projectId: 'p1', stateHash: 'raced' })).toBeUndefined();
});

it('is not taken by another project, nor after its end, and is then swept', async () => {
  const states = oauthStateStore(fixture.database);
  await states.save(state('mine'), 60_000);
  expect(await states.take({ projectId: 'p2', stateHash: 'mine' })).toBeUndefined();
  await states.save(state('ended'), -1);
  await states.save(state('swept'), -1);
  expect(await states.take({ projectId: 'p1', stateHash: 'swept' })).toBeUndefined();
  await states.save(state('next'), 60_000);
  const rows = await fixture
    .database('oauth_states')
    .select<{ state_hash: string }[]>('state_hash')
    .orderBy('state_hash');
  expect(rows.map((row) => row.state_hash)).toEqual(['mine', 'next']);
});
