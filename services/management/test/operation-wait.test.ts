import { newId, openDatabase } from '@sluice/store';
import { seedInstallation, type SeededInstallation, patientLimits } from '@sluice/testkit';
import type { Operation } from '@sluice/types';
import { startManagement, type RunningManagement } from './start-management';

let management: RunningManagement;
let database: ReturnType<typeof openDatabase>;
let seed: SeededInstallation;
let key: string;
beforeAll(async () => {
  management = await startManagement();
  database = openDatabase({
    url: management.context.config.databaseUrl,
    poolMax: 2,
    applicationName: 'test',
    limits: patientLimits,
  });
  seed = await seedInstallation(management.context.store);
  key = await management.newKey(seed.projectId, ['write']);
});
afterAll(async () => {
  await database.destroy();
  await management.stop();
});

const newOperation = async (): Promise<string> => {
  const id = newId();
  await database('operations').insert({
    project_id: seed.projectId,
    id,
    integration_id: seed.integrationId,
    installation_id: seed.installationId,
    config_id: seed.configId,
    connection_id: seed.connectionId,
    lane_id: 'lane',
    object_name: 'contacts',
    type: 'create',
    mode: 'asynchronous',
    state: 'queued',
    traceparent: '',
  });
  return id;
};
const end = (id: string, state: 'succeeded' | 'failed') => database('operations').where({ id }).update({ state });
const get = (id: string, query = '') =>
  management.as(key).get(`/v1/projects/${seed.projectName}/operations/${id}${query}`);
const timed = async (work: PromiseLike<{ body: unknown }>) => {
  const startedAtMs = performance.now();
  const { body } = await work;
  return { status: (body as Operation).status, seconds: (performance.now() - startedAtMs) / 1_000 };
};

describe('?waitSeconds', () => {
  it.each(['succeeded', 'failed'] as const)('answers as soon as the operation has %s', async (state) => {
    const id = await newOperation();
    const waiting = timed(get(id, '?waitSeconds=30').expect(200));
    setTimeout(() => void Promise.resolve(end(id, state)), 300);
    const { status, seconds } = await waiting;
    expect(status).toBe(state === 'succeeded' ? 'success' : 'failure');
    // Not at the end of its half minute, and not before the end.
    expect(seconds).toBeGreaterThan(0.25);
    expect(seconds).toBeLessThan(29);
  });

  it('answers with the state as it is when the time is over', async () => {
    const { status, seconds } = await timed(get(await newOperation(), '?waitSeconds=1').expect(200));
    expect(status).toBe('in_progress');
    expect(seconds).toBeGreaterThanOrEqual(0.99);
  });

  it('answers at once when the operation has ended already, and without it', async () => {
    const id = await newOperation();
    expect(await timed(get(id).expect(200))).toMatchObject({ status: 'in_progress' });
    await end(id, 'succeeded');
    expect((await timed(get(id, '?waitSeconds=30').expect(200))).seconds).toBeLessThan(29);
  });

  it('an operation that is not there is 404 at once', async () => {
    await get(newId(), '?waitSeconds=30').expect(404);
  });

  // Ten connections, two hundred waiters: a waiter holds none.
  it('many waiters do not exhaust the pool', async () => {
    const id = await newOperation();
    const waiting = Array.from({ length: 200 }, () => get(id, '?waitSeconds=30').then((reply) => reply));
    let answered = 0;
    for (const each of waiting) void each.then(() => (answered += 1));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const others = await Promise.all(Array.from({ length: 20 }, async () => timed(get(await newOperation()))));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'in_progress'));
    // Not when a waiter had left.
    expect(answered).toBe(0);
    await end(id, 'succeeded');
    const replies = await Promise.all(waiting);
    expect(replies.every(({ body }) => (body as Operation).status === 'success')).toBe(true);
  });
});

it('a stop does not wait for waiters: they get the state as it is', async () => {
  const stopping = await startManagement();
  const project = await seedInstallation(stopping.context.store);
  const owner = { ...(await newRowIn(stopping, project)), key: await stopping.newKey(project.projectId, ['write']) };
  const waiting = timed(stopping.as(owner.key).get(`${owner.path}?waitSeconds=30`).expect(200));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await stopping.stop();
  const { status, seconds } = await waiting;
  expect(status).toBe('in_progress');
  expect(seconds).toBeLessThan(29);
});

/** An operation under way in a database of its own. */
async function newRowIn(running: RunningManagement, owner: SeededInstallation): Promise<{ path: string }> {
  const own = openDatabase({
    url: running.context.config.databaseUrl,
    poolMax: 1,
    applicationName: 'test',
    limits: patientLimits,
  });
  const row = (await database('operations')
    .where({ id: await newOperation() })
    .first()) as Record<string, unknown>;
  await own('operations').insert({ ...row, project_id: owner.projectId });
  await own.destroy();
  return { path: `/v1/projects/${owner.projectId}/operations/${row['id'] as string}` };
}
