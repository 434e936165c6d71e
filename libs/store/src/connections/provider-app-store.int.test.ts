import { cloneDatabase, type ClonedDatabase, patientLimits } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { providerAppStore, type NewProviderApp } from './provider-app-store';

let clone: ClonedDatabase;
let database: Knex;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'provider-app-store-test', limits: patientLimits });
});

afterAll(async () => {
  await database.destroy();
  await clone.drop();
});

const app = (projectId: string, overrides: Partial<NewProviderApp> = {}): NewProviderApp => ({
  projectId,
  provider: 'hubspot',
  clientId: 'client-1',
  seal: (id) => ({ text: `sealed for ${id}`, keyId: 'k1' }),
  ...overrides,
});

describe('providerAppStore', () => {
  it('keeps every member and never returns the secret', async () => {
    const apps = providerAppStore(database);
    const metadata = { authQueryParams: { prompt: ['consent'] }, providerParams: { region: 'eu1' } };
    const members = { externalRef: 'x-1', scopes: ['crm.read'], metadata };
    const created = await apps.create(app('p1', members));
    expect(created).toEqual({
      id: expect.any(String),
      projectId: 'p1',
      provider: 'hubspot',
      clientId: 'client-1',
      ...members,
      createTime: expect.any(String),
    });
    expect(await apps.find('p1', created.id)).toEqual(created);
    expect(await apps.findClient('p1', 'hubspot', undefined)).toEqual({
      id: created.id,
      clientId: 'client-1',
      sealed: `sealed for ${created.id}`,
    });
  });

  it('lists the oldest first, and finds the named client, else the newest of the provider', async () => {
    const apps = providerAppStore(database);
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

  it('changes what is given, clears what is null, and leaves the rest', async () => {
    const apps = providerAppStore(database);
    const { id } = await apps.create(app('p3', { externalRef: 'x', scopes: ['a'] }));
    const changed = await apps.update('p3', id, { clientId: 'client-9', externalRef: null });
    expect(changed).toMatchObject({ clientId: 'client-9', scopes: ['a'], updateTime: expect.any(String) });
    expect(changed).not.toHaveProperty('externalRef');
    await apps.update('p3', id, { sealed: { text: 'another', keyId: 'k2' } });
    expect(await apps.findClient('p3', 'hubspot', id)).toEqual({ id, clientId: 'client-9', sealed: 'another' });
  });

  it('keeps to the project, and forgets what is removed', async () => {
    const apps = providerAppStore(database);
    const { id } = await apps.create(app('p4'));
    expect(await apps.find('p5', id)).toBeUndefined();
    expect(await apps.update('p5', id, { clientId: 'theirs' })).toBeUndefined();
    expect(await apps.findClient('p5', 'hubspot', id)).toBeUndefined();
    expect(await apps.remove('p5', id)).toBe(false);
    expect(await apps.remove('p4', id)).toBe(true);
    expect(await apps.remove('p4', id)).toBe(false);
    expect(await apps.findNewest('p4', 'hubspot')).toBeUndefined();
  });
});
