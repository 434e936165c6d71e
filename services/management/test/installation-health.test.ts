import type { Installation, InstallationHealthListReply } from '@sluice/types';
import { addConnection } from './prepare-installation';
import { useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const list = async (query = ''): Promise<InstallationHealthListReply> =>
  (await prepared.send.get(`${prepared.path}/installation-health${query}`).expect(200))
    .body as InstallationHealthListReply;
const only = async () => {
  const { results } = await list();
  const [health, ...others] = results;
  expect(others).toEqual([]);
  if (health === undefined) throw new Error('the project has no installation');
  return health;
};
const refuse = async () => {
  const { projectId, connectionId } = prepared.seed;
  const status = 'bad_credentials';
  await management.context.store.connections.setStatus({ projectId, connectionId, tokenVersion: 1, status });
};
const again = (text: string) => ({
  records: [{ index: 0, kind: 'again', sendState: 'none', error: { class: 'unavailable', text } }] as const,
  attempt: { status: 503, durationMs: 3, error: { class: 'unavailable', text } } as const,
  next: { state: 'ready', delayMs: 60_000 } as const,
});

it('shows an installation that has written nothing', async () => {
  const { installationId, integrationId, connectionId, groupRef } = prepared.seed;
  const { createTime, ...health } = await only();
  expect(health).toEqual({
    id: installationId,
    integrationId,
    integrationName: expect.any(String),
    provider: 'hubspot',
    groupRef,
    groupName: groupRef,
    healthStatus: 'healthy',
    connection: expect.objectContaining({ id: connectionId, status: 'created', since: expect.any(String) }),
    waiting: { records: 0 },
  });
  expect(Date.parse(createTime)).not.toBeNaN();
});

it('agrees with the installation itself', async () => {
  for (let failed = 1; failed <= 5; failed += 1) await prepared.ended(['failed']);
  const { installationId, integrationId } = prepared.seed;
  const path = `${prepared.path}/integrations/${integrationId}/installations/${installationId}`;
  const { healthStatus, lastOperationStatus } = (await prepared.send.get(path).expect(200)).body as Installation;
  expect([healthStatus, lastOperationStatus]).toEqual(['unhealthy', 'failure']);
  expect(await only()).toMatchObject({ healthStatus, lastOperationStatus });
});

it('counts the records that wait, in calls and in an open auto-batch, and none that ended', async () => {
  await prepared.ended(['succeeded']);
  await prepared.accept(3);
  const sooner = await prepared.accept(2);
  const firstExpireTime = new Date(Date.now() + 600_000).toISOString();
  await management.database('calls').where({ operation_id: sooner }).update({ deadline: firstExpireTime });
  await prepared.join();
  await refuse();
  expect(await only()).toMatchObject({
    healthStatus: 'unhealthy',
    connection: { status: 'bad_credentials' },
    waiting: { records: 6, firstExpireTime },
  });
});

it('says so where more calls wait than are read', async () => {
  await prepared.accept(2);
  const copies = `insert into calls select (jsonb_populate_record(c, jsonb_build_object('number', n))).* from calls c, generate_series(2, 1100) n where c.project_id = ?`;
  await management.database.raw(copies, [prepared.seed.projectId]);
  expect(await only()).toMatchObject({ waiting: { isAtLeast: true } });
});

it('reads fewer calls of each the more installations a page may have, so that no page is read for long', async () => {
  await prepared.accept(2);
  const copies = `insert into calls select (jsonb_populate_record(c, jsonb_build_object('number', n))).* from calls c, generate_series(2, 150) n where c.project_id = ?`;
  await management.database.raw(copies, [prepared.seed.projectId]);
  const waitingIn = async (pageSize: number) => (await list(`?pageSize=${pageSize}`)).results[0]?.waiting;
  expect(await waitingIn(50)).toEqual({ records: 300, firstExpireTime: expect.any(String) });
  expect(await waitingIn(1_000)).toMatchObject({ isAtLeast: true, records: 200 });
});

describe('the last error', () => {
  it('is the end of the newest operation that failed, and not of an older one', async () => {
    await prepared.ended(['failed']);
    const id = await prepared.ended(['succeeded', 'failed']);
    await prepared.ended(['succeeded']);
    const { lastError } = await only();
    expect(lastError).toMatchObject({ operationId: id, time: expect.any(String), message: expect.any(String) });
    expect(lastError).not.toHaveProperty('class');
  });

  it('is what a call met that waits for its next try, when that is newer', async () => {
    await prepared.ended(['failed']);
    const id = await prepared.accept();
    await prepared.settle(['again'], again('The provider is away.'));
    const { lastError } = await only();
    expect(lastError).toMatchObject({ operationId: id, class: 'unavailable', message: 'The provider is away.' });
  });
});

describe('filters', () => {
  it('by the beginning of the group, by the installation and by refused credentials', async () => {
    const { groupRef, installationId } = prepared.seed;
    expect((await list(`?groupRefPrefix=${groupRef.slice(0, 3)}`)).results).toHaveLength(1);
    expect((await list(`?groupRefPrefix=${groupRef}x`)).results).toEqual([]);
    // Nothing in it is a pattern.
    expect((await list('?groupRefPrefix=%25')).results).toEqual([]);
    expect((await list(`?installationId=${installationId}`)).results).toHaveLength(1);
    expect((await list('?installationId=another')).results).toEqual([]);
    expect((await list('?badCredentials=true')).results).toEqual([]);
    await refuse();
    expect((await list('?badCredentials=true')).results).toHaveLength(1);
  });
});

// A page is what the console shows: it must be one, however many customers there are.
it('gives pages, each installation once, and nothing of another project', async () => {
  const { store } = management.context;
  const { projectId, integrationId, revisionId } = prepared.seed;
  for (const groupRef of ['b', 'c']) {
    const connectionId = await addConnection(management, projectId, groupRef);
    const config = { revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:test' };
    const made = { projectId, integrationId, groupRef, connectionId, createdBy: 'consumer:ann', config };
    await store.installations.create(made);
  }
  const first = await list('?pageSize=2');
  const token = first.pagination.nextPageToken ?? '';
  const second = await list(`?pageSize=2&pageToken=${token}`);
  const groups = [...first.results, ...second.results].map(({ groupRef }) => groupRef);
  expect(groups).toEqual([prepared.seed.groupRef, 'b', 'c']);
  expect(second.pagination).toEqual({ done: true });
  const other = await management.newProject(['read']);
  await management.as(other.key).get(`${prepared.path}/installation-health`).expect(404);
});
