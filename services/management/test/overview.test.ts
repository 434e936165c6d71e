import { newId } from '@sluice/store';
import { createMetrics } from '@sluice/telemetry';
import type { Overview } from '@sluice/types';
import { useOperations } from './prepare-operations';
import { useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);
afterEach(async () => {
  await management.database.raw('truncate minutes, backlog_minutes, process_minutes');
});

const read = async (query = ''): Promise<Overview> =>
  (await prepared.send.get(`${prepared.path}/overview${query}`).expect(200)).body as Overview;
const age = (minutes: number) =>
  Promise.all(
    ['minutes', 'backlog_minutes', 'process_minutes'].map((table) =>
      management.database.raw(`update ${table} set minute = minute - make_interval(mins => ?)`, [minutes]),
    ),
  );
/** What a service stores in a minute in which it did this for a project. */
const store = async (service: string, projectId = prepared.seed.projectId, written = 0) => {
  const { byProject } = createMetrics(service);
  byProject.count({ projectId, provider: 'hubspot' }, 'written', written);
  if (written > 0) byProject.observe({ projectId, provider: 'hubspot' }, 'providerCall', 0.2);
  const living = { service, process: `${service}/a/1`, version: '1.0.0' };
  await management.context.store.minutes.save(living, byProject.take());
};

it.each([
  ['', 'hour', 60, 60],
  ['?span=day', 'day', 144, 600],
  ['?span=week', 'week', 168, 3_600],
])('%s: has every point of the span, up to the last complete minute', async (query, span, points, stepSeconds) => {
  const overview = await read(query);
  expect(overview).toMatchObject({ span, stepSeconds });
  expect(overview.points).toHaveLength(points);
  const times = overview.points.map(({ time }) => Date.parse(time));
  expect(times.map((time) => time - (times[0] ?? 0))).toEqual(times.map((_, at) => at * stepSeconds * 1_000));
  expect(overview.points[0]?.time).toBe(overview.startTime);
  expect((times.at(-1) ?? 0) + stepSeconds * 1_000).toBe(Date.parse(overview.endTime));
  expect(Date.parse(overview.endTime) % 60_000).toBe(0);
});

// The process knows all projects; a key knows one.
it('shows nothing of another project', async () => {
  await store('executor', newId(), 500);
  await store('executor', undefined, 2);
  await age(1);
  const { points, services } = await read();
  expect(points.at(-1)).toMatchObject({ written: 2, failed: 0, providerCall: { median: 0.175, p95: 0.2425 } });
  expect(services).toMatchObject([{ service: 'executor', processes: 1, versions: ['1.0.0'] }]);
});

// A process that died wrote nothing: that is no 0, and the chart has a gap.
it('a figure is absent for a minute in which nobody could have counted it', async () => {
  await store('executor', undefined, 3);
  await age(1);
  await store('batcher');
  await age(1);
  const [first, second] = (await read()).points.slice(-2);
  expect(first).toMatchObject({ written: 3, retried: 0 });
  expect(first).not.toHaveProperty('accepted');
  expect(first).not.toHaveProperty('backlog');
  expect(second).toMatchObject({ backlog: [] });
  for (const name of ['accepted', 'written', 'retried', 'providerCall']) expect(second).not.toHaveProperty(name);
});

it('names the longest queues, with what waited in them', async () => {
  await prepared.accept();
  await prepared.accept();
  await prepared.accept();
  await prepared.settle(['succeeded']);
  const { minutes } = management.context.store;
  await minutes.saveBacklog();
  await prepared.accept();
  // Another batcher, in the same minute.
  await minutes.saveBacklog();
  await age(1);
  const { lanes, points } = await read();
  expect(lanes).toMatchObject([{ provider: 'hubspot', groupRefs: [prepared.seed.groupRef] }]);
  expect(points.at(-1)?.backlog).toEqual([{ laneId: lanes[0]?.id, waiting: 2 }]);
});

/** What the services counted of a project. */
const count = async (service: string, counts: Partial<Record<'accepted' | 'written' | 'failed', number>>) => {
  const { byProject } = createMetrics(service);
  const of = { projectId: prepared.seed.projectId, provider: 'hubspot' };
  for (const [name, by] of Object.entries(counts)) byProject.count(of, name as 'accepted', by);
  await management.context.store.minutes.save(
    { service, process: `${service}/a/1`, version: '1.0.0' },
    byProject.take(),
  );
};

// Each is in one place: what a tile shows is in no other one.
it('the records add up while some are written, fail, wait, fill a batch and are held', async () => {
  await prepared.ended(['succeeded', 'failed']);
  await prepared.accept(3);
  await prepared.join();
  await prepared.join();
  await count('write-gateway', { accepted: 7 });
  await count('executor', { written: 1, failed: 1 });
  const counted = { accepted: 7, written: 1, failed: 1, unknown: 0, filling: 2, isMore: false };
  const whole = { ...counted, earlier: 0, uncounted: 0 };
  expect(await read()).toMatchObject({ records: { ...whole, waiting: 3, held: 0 }, successRate: 0.5 });
  const { projectId, connectionId } = prepared.seed;
  const { connections } = management.context.store;
  await connections.setStatus({ projectId, connectionId, tokenVersion: 1, status: 'bad_credentials' });
  expect((await read()).records).toEqual({ ...whole, waiting: 0, held: 3 });
  // An hour later the same wait, and were accepted before.
  await age(61);
  await count('write-gateway', {});
  await count('executor', {});
  const later = await read();
  expect(later.records).toMatchObject({ accepted: 0, written: 0, held: 3, filling: 2, earlier: 5, uncounted: 0 });
  expect(later).toMatchObject({ successRateBefore: 0.5 });
  expect(later).not.toHaveProperty('successRate');
});

it('names who fails most and with what', async () => {
  await prepared.ended(['succeeded', 'failed', 'failed']);
  const { failures } = await read();
  const message = 'The provider says: canary-customer-value is not an email.';
  expect(failures).toEqual({
    records: 2,
    customers: [{ groupRef: prepared.seed.groupRef, records: 2 }],
    problems: [{ message, records: 2, customers: 1 }],
  });
});

it('says how far a new project is, until it has written a record', async () => {
  const setup = { hasIntegration: true, hasProviderApp: false, hasCustomer: true, hasWrite: false };
  expect(await read()).toMatchObject({ setup });
  await prepared.ended(['failed']);
  expect(await read()).toMatchObject({ setup: { ...setup, hasWrite: true } });
  await prepared.ended(['succeeded']);
  expect(await read()).not.toHaveProperty('setup');
});
