import { foundRecords } from './fake-hubspot';
import { startSearch, type RunningSearch, type Seed } from './start-search';

let search: RunningSearch;
beforeAll(async () => {
  search = await startSearch();
});
afterAll(() => search.stop());

const byEmail = { objectName: 'contacts', fieldFilters: [{ fieldName: 'email', operator: 'eq', value: 'a@b.c' }] };
const ask = (seed: Seed) => search.post(seed.path).set('x-api-key', seed.key).send(byEmail);
const refreshes = () => search.hubspot.calls.filter(({ path }) => path === '/oauth/2026-03/token');
const connectionOf = (seed: Seed) => search.context.store.connections.find(seed.projectId, seed.connectionId);

/** An installation whose access token has ended, and an app to refresh it with. */
async function seedEnded(name: string): Promise<Seed> {
  const { store, installations } = search.context;
  const credentials = { accessToken: `${name}-old`, refreshToken: `${name}-refresh` };
  const seed = await search.seed({ seal: (id) => installations.seal({ noun: 'connection', id }, credentials) });
  await store.providerApps.create({
    projectId: seed.projectId,
    provider: 'hubspot',
    clientId: 'client-1',
    seal: (id) => installations.seal({ noun: 'provider app', id }, 'client-secret'),
  });
  search.hubspot.ended.add(`${name}-old`);
  search.hubspot.answer = foundRecords({ hs_object_id: '1' });
  return seed;
}

describe('an access token that ended', () => {
  it('is refreshed once, and the search is made with the new one', async () => {
    const seed = await seedEnded('good');
    search.hubspot.tokens = {
      status: 200,
      body: { access_token: 'good-new', refresh_token: 'good-next', expires_in: 1_800 },
    };
    expect((await ask(seed).expect(200)).body).toMatchObject({ results: [{ id: '1' }] });
    expect(search.hubspot.calls.at(-1)).toMatchObject({ path: '/crm/v3/objects/contacts/search', token: 'good-new' });
    await ask(seed).expect(200);
    expect(refreshes()).toHaveLength(1);
    expect(refreshes()[0]?.text).toContain('refresh_token=good-refresh');
    expect((await connectionOf(seed))?.status).toBe('working');
  });

  it('409 when the grant is gone: the connection is bad_credentials', async () => {
    const seed = await seedEnded('gone');
    search.hubspot.tokens = {
      status: 400,
      body: { error: 'invalid_grant', status: 'BAD_REFRESH_TOKEN', message: 'gone' },
    };
    expect((await ask(seed).expect(409)).body).toMatchObject({ code: 'connection.bad-credentials' });
    expect((await connectionOf(seed))?.status).toBe('bad_credentials');
  });
});
