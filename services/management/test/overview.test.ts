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
