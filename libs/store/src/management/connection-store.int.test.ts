import { cloneDatabase, type ClonedDatabase } from '@sluice/testkit';
import type { Knex } from 'knex';
import { openDatabase } from '../database';
import { connectionStore, type NewConnection } from './connection-store';

let clone: ClonedDatabase;
let database: Knex;

beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, applicationName: 'connection-store-test' });
});

afterAll(async () => {
  await database.destroy();
  await clone.drop();
});

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

const lanesOf = (projectId: string) => database('lanes').where({ project_id: projectId }).select('account_ref');
const laneIdOf = async (projectId: string, id: string) =>
  (await database('connections').where({ project_id: projectId, id }).first<{ lane_id: string }>('lane_id')).lane_id;

describe('connectionStore', () => {
  it('creates the connection with its group and consumer, and returns no credentials', async () => {
    const connections = connectionStore(database);
    const created = await connections.create(connection('p1', { groupName: 'Acme Inc.' }));
    expect(created).toMatchObject({ authScheme: 'apiKey', status: 'created', providerWorkspaceRef: '4711' });
    expect(created.group).toMatchObject({ groupRef: 'acme', groupName: 'Acme Inc.', projectId: 'p1' });
    expect(created.consumer).toMatchObject({ consumerRef: 'anna', consumerName: 'anna', projectId: 'p1' });
    expect(JSON.stringify(created)).not.toContain('sealed');
    expect(await connections.find('p1', created.id)).toEqual(created);
    expect(await connections.findCredentials('p1', created.id)).toEqual({
      sealed: `sealed for ${created.id}`,
      provider: 'hubspot',
      tokenVersion: 1,
      workspaceRef: '4711',
      status: 'created',
    });
  });

  it('keeps a name that was given when a later connection gives none, and takes a new one', async () => {
    const connections = connectionStore(database);
    await connections.create(connection('p2', { groupName: 'First', consumerName: 'Anna' }));
    const silent = await connections.create(connection('p2'));
    expect([silent.group.groupName, silent.consumer.consumerName]).toEqual(['First', 'Anna']);
    const renamed = await connections.create(connection('p2', { groupName: 'Second', consumerName: 'Anna B.' }));
    expect([renamed.group.groupName, renamed.consumer.consumerName]).toEqual(['Second', 'Anna B.']);
    expect(renamed.group.updateTime).toEqual(expect.any(String));
  });

  // Two lanes for one account would double its concurrency and its quota.
  it('gives connections to one account one lane, also when they are made at once', async () => {
    const connections = connectionStore(database);
    const at = [...Array(8).keys()];
    await Promise.all(at.map((n) => connections.create(connection('p3', { groupRef: `g${n}`, consumerRef: `c${n}` }))));
    expect(await lanesOf('p3')).toEqual([{ account_ref: '4711' }]);
  });

  it('gives a connection without a known account a lane of its own', async () => {
    const connections = connectionStore(database);
    const first = await connections.create(connection('p4', { reportedAccountRef: undefined }));
    const second = await connections.create(connection('p4', { reportedAccountRef: undefined }));
    expect(await laneIdOf('p4', first.id)).not.toBe(await laneIdOf('p4', second.id));
    expect(await lanesOf('p4')).toEqual(
      expect.arrayContaining([{ account_ref: `connection:${first.id}` }, { account_ref: `connection:${second.id}` }]),
    );
  });

  it('filters the list', async () => {
    const connections = connectionStore(database);
    const anna = await connections.create(connection('p5'));
    const ben = await connections.create(connection('p5', { groupRef: 'beta', consumerRef: 'ben' }));
    expect(await connections.list('p5')).toEqual([anna, ben]);
    expect(await connections.list('p5', { groupRef: 'beta' })).toEqual([ben]);
    expect(await connections.list('p5', { consumerRef: 'anna', provider: 'hubspot' })).toEqual([anna]);
    expect(await connections.list('p5', { provider: 'salesforce' })).toEqual([]);
  });

  // A 401 that an old token got says nothing about the token that replaced it.
  it('moves the status only for the stored token version, and only to another one', async () => {
    const connections = connectionStore(database);
    const { id } = await connections.create(connection('p6'));
    const change = { projectId: 'p6', connectionId: id, tokenVersion: 1, status: 'working' as const };
    expect(await connections.setStatus(change)).toBe(true);
    expect(await connections.setStatus(change)).toBe(false);
    expect(await connections.setStatus({ ...change, tokenVersion: 2, status: 'bad_credentials' })).toBe(false);
    expect(await connections.find('p6', id)).toMatchObject({ status: 'working', updateTime: expect.any(String) });
  });

  it('stores nothing when sealing fails', async () => {
    const connections = connectionStore(database);
    const seal = () => {
      throw new TypeError('no key');
    };
    await expect(connections.create(connection('p7', { seal }))).rejects.toMatchObject({ code: 'service.defect' });
    expect(await connections.list('p7')).toEqual([]);
    expect(await database('groups').where({ project_id: 'p7' })).toEqual([]);
  });

  it('keeps to the project', async () => {
    const connections = connectionStore(database);
    const { id } = await connections.create(connection('p8'));
    expect(await connections.find('p9', id)).toBeUndefined();
    expect(await connections.findCredentials('p9', id)).toBeUndefined();
    const change = { projectId: 'p9', connectionId: id, tokenVersion: 1, status: 'working' as const };
    expect(await connections.setStatus(change)).toBe(false);
  });
});
