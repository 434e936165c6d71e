import type { Operation, OperationListReply, OperationRecordListReply } from '@sluice/types';
import { prepareOperations, type PreparedOperations } from './prepare-operations';
import { startManagement, type RunningManagement, type Sender } from './start-management';

let management: RunningManagement;
let prepared: PreparedOperations;
let send: Sender;
beforeAll(async () => {
  management = await startManagement();
});
afterAll(() => management.stop());
beforeEach(async () => {
  prepared = await prepareOperations(management);
  send = management.as(await management.newKey(prepared.seed.projectId, ['read']));
});
afterEach(() => prepared.database.destroy());

const ofProject = (query = '') => `${prepared.path}/operations${query}`;
const ofInstallation = (query = '') =>
  `${prepared.path}/integrations/${prepared.seed.integrationId}/installations/${prepared.seed.installationId}/operations${query}`;
const read = async (path: string) => (await send.get(path).expect(200)).body as OperationListReply;
const idsOf = ({ results }: OperationListReply) => results.map(({ id }) => id);
const acceptMany = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await prepared.accept());
  return ids;
};

describe.each([
  ['of an installation', ofInstallation],
  ['of a project', ofProject],
  [
    'of a group',
    (query?: string) => ofProject(`?groupRef=${prepared.seed.groupRef}${(query ?? '').replace('?', '&')}`),
  ],
] as const)('the list %s', (_name, path) => {
  it('is empty and done when nothing was written', async () => {
    expect(await read(path())).toEqual({ results: [], pagination: { done: true } });
  });

  it('gives the operations as get does, newest first', async () => {
    const ids = await acceptMany(3);
    const { results, pagination } = await read(path());
    expect(results.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(pagination).toEqual({ done: true });
    const one = (await send.get(`${prepared.path}/operations/${ids[0]}`).expect(200)).body as Operation;
    expect(results.at(-1)).toEqual(one);
  });

  // What is written meanwhile stands before the first page: no page repeats or misses an operation.
  it('is paged, and stable while operations are added', async () => {
    const ids = await acceptMany(5);
    const first = await read(path('?pageSize=2'));
    await acceptMany(2);
    const second = await read(path(`?pageSize=2&pageToken=${first.pagination.nextPageToken}`));
    await acceptMany(1);
    const third = await read(path(`?pageSize=2&pageToken=${second.pagination.nextPageToken}`));
    expect([first, second, third].flatMap(idsOf)).toEqual(ids.toReversed());
    expect([first, second, third].map(({ pagination }) => pagination.done)).toEqual([false, false, true]);
    expect(third.pagination).toEqual({ done: true });
  });

  it('a page that ends with the last operation is the last', async () => {
    await acceptMany(2);
    expect((await read(path('?pageSize=2'))).pagination).toEqual({ done: true });
  });

  it.each(['0', '1001', '1.5', 'x', ''])('pageSize=%s is 400', async (value) => {
    const { body } = await send.get(path(`?pageSize=${value}`)).expect(400);
    expect(body).toMatchObject({ code: 'request.invalid', issues: [{ in: 'query', name: 'pageSize' }] });
  });

  it.each(['x', 'bm9uc2Vuc2U', 'AaH7GdIMdomjkXGWE2Q8', 'AaH7GdIMdomjkXGWE2Q8AQ=='])(
    'pageToken=%s is 400',
    async (value) => {
      const { body } = await send.get(path(`?pageToken=${value}`)).expect(400);
      expect(body).toMatchObject({ code: 'request.invalid', issues: [{ in: 'query', name: 'pageToken' }] });
    },
  );
});

describe('the filters of the project', () => {
  it('by status, object, moment and group, joined by AND', async () => {
    const failed = await prepared.ended(['failed']);
    const succeeded = await prepared.ended(['succeeded']);
    const deals = await prepared.accept(1, 'deals');
    await prepared.database('operations').where({ id: failed }).update({ created_at: '2026-01-01T00:00:00Z' });
    const find = async (query: string) => idsOf(await read(ofProject(query)));
    expect(await find('?status=failure')).toEqual([failed]);
    expect(await find('?status=success')).toEqual([succeeded]);
    expect(await find('?status=in_progress')).toEqual([deals]);
    expect(await find('?objectName=contacts')).toEqual([succeeded, failed]);
    expect(await find('?objectName=contacts&status=failure')).toEqual([failed]);
    expect(await find('?since=2026-01-02T00:00:00Z')).toEqual([deals, succeeded]);
    expect(await find('?since=2025-12-31T23:00:00-01:00')).toEqual([deals, succeeded, failed]);
    expect(await find('?since=0000-01-01T00:00:00Z')).toHaveLength(3);
    expect(await find('?since=9999-12-31T23:59:59Z')).toEqual([]);
    expect(await find('?groupRef=another')).toEqual([]);
    expect(await find(`?groupRef=${prepared.seed.groupRef}&status=failure`)).toEqual([failed]);
  });

  it.each([
    ['status', 'running'],
    ['since', 'yesterday'],
    ['since', '2026-06-30T23:59:60Z'],
    ['objectName', ''],
    ['groupRef', ''],
    ['colour', 'red'],
    ['status', 'failure&status=success'],
  ])('%s=%s is 400 and names it', async (name, value) => {
    const { body } = await send.get(ofProject(`?${name}=${value}`)).expect(400);
    expect(body).toMatchObject({ issues: [{ in: 'query', name }] });
  });
});

it('another project sees nothing of it, and its ids are not found', async () => {
  await acceptMany(1);
  const other = await management.newProject(['full']);
  const reply = await management.as(other.key).get(`/v1/projects/${other.id}/operations`).expect(200);
  expect(reply.body).toEqual({ results: [], pagination: { done: true } });
  await management.as(other.key).get(ofProject()).expect(404);
  await management.as(other.key).get(ofInstallation()).expect(404);
});

it('an installation of another integration is not found below this one', async () => {
  const other = await prepareOperations(management, {
    projectId: prepared.seed.projectId,
    manifest: { ...otherManifest },
  });
  await other.database.destroy();
  const path = `${prepared.path}/integrations/${prepared.seed.integrationId}/installations/${other.seed.installationId}/operations`;
  expect((await send.get(path).expect(404)).body).toMatchObject({ code: 'installation.not-found' });
});

const otherManifest = { name: 'other', provider: 'hubspot', write: { objects: [{ objectName: 'contacts' }] } };

it.each([
  ['search', 403],
  ['write', 200],
  ['frontend', 200],
])('scope %s: %i', async (scope, status) => {
  const sender = management.as(await management.newKey(prepared.seed.projectId, [scope]));
  await sender.get(ofProject()).expect(status);
  await sender.get(ofInstallation()).expect(status);
});

describe('the records of an operation', () => {
  const records = async (id: string, query = '') =>
    (await send.get(`${prepared.path}/operations/${id}/records${query}`).expect(200)).body as OperationRecordListReply;

  it('are paged in order of index', async () => {
    const id = await prepared.accept(5);
    const first = await records(id, '?pageSize=2');
    const second = await records(id, `?pageSize=2&pageToken=${first.pagination.nextPageToken}`);
    const third = await records(id, `?pageSize=2&pageToken=${second.pagination.nextPageToken}`);
    expect([first, second, third].flatMap(({ results }) => results.map(({ index }) => index))).toEqual([0, 1, 2, 3, 4]);
    expect(third.pagination).toEqual({ done: true });
    expect(await records(id)).toMatchObject({ pagination: { done: true }, results: { length: 5 } });
  });

  it('are found by status, paged as well', async () => {
    const id = await prepared.ended(['succeeded', 'failed', 'succeeded', 'failed']);
    const failed = await records(id, '?status=failed&pageSize=1');
    expect(failed.results).toMatchObject([{ index: 1, status: 'failed', error: { class: 'rejected' } }]);
    const rest = await records(id, `?status=failed&pageToken=${failed.pagination.nextPageToken}`);
    expect(rest).toMatchObject({ pagination: { done: true }, results: [{ index: 3 }] });
    expect((await records(id, '?status=unknown')).results).toEqual([]);
    expect((await records(id, '?status=failed&ref=row-0')).results).toEqual([]);
    const refused = await send.get(`${prepared.path}/operations/${id}/records?status=lost`).expect(400);
    expect(refused.body.issues).toMatchObject([{ in: 'query', name: 'status', value: 'lost' }]);
  });

  it('are found by ref, and a token of another list is refused', async () => {
    const id = await prepared.accept(3);
    expect((await records(id, '?ref=row-1')).results).toMatchObject([{ index: 1, ref: 'row-1', status: 'pending' }]);
    await send.get(`${prepared.path}/operations/${id}/records?pageToken=AaH7GdIMdomjkXGWE2Q8AQ`).expect(400);
  });
});
