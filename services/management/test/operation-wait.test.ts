import { newId } from '@sluice/store';
import type { Operation } from '@sluice/types';
import { prepareOperations, useOperations } from './prepare-operations';
import { startManagement, useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management, ['write']);

const end = (id: string, state: 'succeeded' | 'failed') =>
  management.database('operations').where({ id }).update({ state });
const get = (id: string, query = '') => prepared.send.get(`${prepared.path}/operations/${id}${query}`);
const timed = async (work: PromiseLike<{ body: unknown }>) => {
  const startedAtMs = performance.now();
  const { body } = await work;
  return { status: (body as Operation).status, seconds: (performance.now() - startedAtMs) / 1_000 };
};

describe('?waitSeconds', () => {
  it.each(['succeeded', 'failed'] as const)('answers as soon as the operation has %s', async (state) => {
    const id = await prepared.accept();
    const waiting = timed(get(id, '?waitSeconds=30').expect(200));
    setTimeout(() => void Promise.resolve(end(id, state)), 300);
    const { status, seconds } = await waiting;
    expect(status).toBe(state === 'succeeded' ? 'success' : 'failure');
    // Not at the end of its half minute, and not before the end.
    expect(seconds).toBeGreaterThan(0.25);
    expect(seconds).toBeLessThan(29);
  });

  it('answers with the state as it is when the time is over', async () => {
    const { status, seconds } = await timed(get(await prepared.accept(), '?waitSeconds=1').expect(200));
    expect(status).toBe('in_progress');
    expect(seconds).toBeGreaterThanOrEqual(0.99);
  });

  it('answers at once when the operation has ended already, and without it', async () => {
    const id = await prepared.accept();
    expect(await timed(get(id).expect(200))).toMatchObject({ status: 'in_progress' });
    await end(id, 'succeeded');
    expect((await timed(get(id, '?waitSeconds=30').expect(200))).seconds).toBeLessThan(29);
  });

  it('an operation that is not there is 404 at once', async () => {
    await get(newId(), '?waitSeconds=30').expect(404);
  });

  // Ten connections, two hundred waiters: a waiter holds none.
  it('many waiters do not exhaust the pool', async () => {
    const id = await prepared.accept();
    const waiting = Array.from({ length: 200 }, () => get(id, '?waitSeconds=30').then((reply) => reply));
    let answered = 0;
    for (const each of waiting) void each.then(() => (answered += 1));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const others = await Promise.all(Array.from({ length: 20 }, async () => timed(get(await prepared.accept()))));
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
  const own = await prepareOperations(stopping, ['write']);
  const waiting = timed(own.send.get(`${own.path}/operations/${await own.accept()}?waitSeconds=30`).expect(200));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await stopping.stop();
  const { status, seconds } = await waiting;
  expect(status).toBe('in_progress');
  expect(seconds).toBeLessThan(29);
});
