import type { GroupHealthListReply } from '@sluice/types';
import { addConnection } from './prepare-installation';
import { useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const list = async (query = ''): Promise<GroupHealthListReply> =>
  (await prepared.send.get(`${prepared.path}/group-health${query}`).expect(200)).body as GroupHealthListReply;
const refsOf = ({ results }: GroupHealthListReply) => results.map(({ groupRef }) => groupRef);

/** Another group with the integration of the first. */
async function addGroup(groupRef: string, groupName: string): Promise<string> {
  const { store } = management.context;
  const { projectId, integrationId, revisionId } = prepared.seed;
  const connectionId = await addConnection(management, projectId, groupRef, { groupName });
  const config = { revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:test' };
  await store.installations.create({
    projectId,
    integrationId,
    groupRef,
    connectionId,
    createdBy: 'consumer:ann',
    config,
  });
  return connectionId;
}

it('shows a group once, with what it installed and the connections that no installation uses', async () => {
  const { projectId, groupRef, installationId } = prepared.seed;
  const unused = await addConnection(management, projectId, groupRef, { provider: 'salesforce' });
  const { results, counts } = await list();
  expect(results).toMatchObject([
    {
      groupRef,
      healthStatus: 'healthy',
      installations: [{ id: installationId, waiting: { records: 0 } }],
      unusedConnections: [{ id: unused, provider: 'salesforce', status: 'created', consumerRef: 'anna' }],
    },
  ]);
  expect(counts).toEqual({
    groups: { count: 1 },
    unhealthy: { count: 0 },
    badCredentials: { count: 0 },
    notInstalled: { count: 1 },
  });
  expect((await list('?state=not_installed')).results).toHaveLength(1);
  expect((await list('?state=unhealthy')).results).toEqual([]);
});

it('puts unhealthy groups first, by refused credentials and by failures, and others by name', async () => {
  const { projectId } = prepared.seed;
  for (let failed = 1; failed <= 5; failed += 1) await prepared.ended(['failed']);
  await addGroup('x', 'Beta');
  await addGroup('y', 'alpha');
  const connectionId = await addGroup('z', 'Zeta');
  const status = 'bad_credentials';
  await management.context.store.connections.setStatus({ projectId, connectionId, tokenVersion: 1, status });
  const { groupRef } = prepared.seed;
  expect(refsOf(await list())).toEqual([groupRef, 'z', 'y', 'x']);
  expect(refsOf(await list('?state=unhealthy'))).toEqual([groupRef, 'z']);
  expect(refsOf(await list('?state=bad_credentials'))).toEqual(['z']);
  expect((await list('?search=zeta')).results).toMatchObject([{ groupRef: 'z', healthStatus: 'unhealthy' }]);
});

it('keeps its place while groups come, go and change their health between pages', async () => {
  for (const ref of ['a', 'b', 'c', 'd']) await addGroup(ref, ref);
  const first = await list('?pageSize=2');
  expect(refsOf(first)).toEqual(['a', 'b']);
  await addGroup('aa', 'aa');
  await addGroup('cc', 'cc');
  await management.database('groups').where({ group_ref: 'b' }).update({ group_name: 'zz' });
  const token = first.pagination.nextPageToken ?? '';
  const second = await list(`?pageSize=3&pageToken=${token}`);
  expect(refsOf(second)).toEqual(['c', 'cc', 'd']);
});

describe('refuses', () => {
  it.each([
    ['a state that is none', '?state=ill', 'state'],
    ['a page that is too large', '?pageSize=101', 'pageSize'],
    ['a token that no page gave', '?pageToken=WzAsImEiXQ', 'pageToken'],
    ['a token that is no text of ours', '?pageToken=%25', 'pageToken'],
    ['a search that is longer than any name', `?search=${'x'.repeat(256)}`, 'search'],
  ])('%s', async (_name, query, field) => {
    const { body } = await prepared.send.get(`${prepared.path}/group-health${query}`).expect(400);
    expect(body).toMatchObject({ issues: [{ name: field }] });
  });
});

it('shows nothing of another project', async () => {
  const other = await management.newProject(['read']);
  await management.as(other.key).get(`${prepared.path}/group-health`).expect(404);
  const own = await management.as(other.key).get(`/v1/projects/${other.id}/group-health`).expect(200);
  expect(own.body).toMatchObject({ results: [], counts: { groups: { count: 0 } } });
});
