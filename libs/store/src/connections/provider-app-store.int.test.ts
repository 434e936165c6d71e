import { useDatabase } from '../../test/use-database';
import { providerAppStore, type NewProviderApp } from './provider-app-store';

const fixture = useDatabase();

const app = (projectId: string, overrides: Partial<NewProviderApp> = {}): NewProviderApp => ({
  projectId,
  provider: 'hubspot',
  clientId: 'client-1',
  seal: (id) => ({ text: `sealed for ${id}`, keyId: 'k1' }),
  ...overrides,
});

describe('providerAppStore', () => {
  it('lists the oldest first, and finds the named client, else the newest of the provider', async () => {
    const apps = providerAppStore(fixture.database);
    const [first, second] = [await apps.create(app('p2')), await apps.create(app('p2', { clientId: 'client-2' }))];
    const foreign = await apps.create(app('p2', { provider: 'salesforce' }));
    expect((await apps.listPage('p2', { size: 9 })).items).toEqual([first, second, foreign]);
    expect(await apps.findNewest('p2', 'hubspot')).toEqual(second);
    expect(await apps.findNewest('p2', 'pipedrive')).toBeUndefined();
    expect(await apps.findClient('p2', 'hubspot', undefined)).toMatchObject({ clientId: 'client-2' });
    expect(await apps.findClient('p2', 'hubspot', first.id)).toMatchObject({ clientId: 'client-1' });
    expect(await apps.findClient('p2', 'hubspot', foreign.id)).toBeUndefined();
    expect(await apps.findClient('p2', 'pipedrive', undefined)).toBeUndefined();
  });
});
