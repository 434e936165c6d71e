import type { ProjectFigures } from '@sluice/telemetry';
import { useDatabase } from '../test/use-database';
import { minuteStore } from './minutes';

const fixture = useDatabase();
let minutes: ReturnType<typeof minuteStore>;
beforeAll(() => {
  minutes = minuteStore(fixture.database);
});
afterEach(async () => {
  await fixture.database.raw('truncate minutes, backlog_minutes, process_minutes');
});

const hour = { points: 60, stepSeconds: 60 };
const executor = { service: 'executor', process: 'executor/a/1', version: '1.0.0' };
const zero = { accepted: 0, written: 0, failed: 0, unknown: 0, retried: 0, providerErrors: 0, blocks: 0, blockedMs: 0 };
const figuresOf = (projectId: string, written: number): ProjectFigures => {
  const buckets = Array.from({ length: 13 }, (_, at) => (at === 2 ? written : 0));
  return {
    projectId,
    provider: 'hubspot',
    counts: { ...zero, written },
    timings: { accept: buckets, providerCall: buckets },
  };
};
/** Moves what is stored into the past: the current minute is not complete. */
const age = (minutesAgo: number) =>
  Promise.all(
    ['minutes', 'backlog_minutes', 'process_minutes'].map((table) =>
      fixture.database.raw(`update ${table} set minute = minute - make_interval(mins => ?)`, [minutesAgo]),
    ),
  );

it('adds up what a process stores within a minute, and what several processes did', async () => {
  await minutes.save(executor, [figuresOf('p', 2)]);
  await minutes.save(executor, [figuresOf('p', 3), figuresOf('q', 100)]);
  await minutes.save({ ...executor, process: 'executor/b/1' }, [figuresOf('p', 5)]);
  await age(1);
  const { figures, alive } = await minutes.readOverview('p', hour);
  expect(figures).toHaveLength(1);
  expect(figures[0]).toMatchObject({ point: 59, provider: 'hubspot', counts: { ...zero, written: 10 } });
  expect(figures[0]?.timings.accept).toEqual([0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(alive).toEqual([{ point: 59, services: ['executor'] }]);
});

it('shows no minute that is not complete, and none of before the span', async () => {
  await minutes.save(executor, [figuresOf('p', 1)]);
  expect((await minutes.readOverview('p', hour)).figures).toEqual([]);
  await age(60);
  expect((await minutes.readOverview('p', hour)).figures).toMatchObject([{ point: 0 }]);
  await age(1);
  expect((await minutes.readOverview('p', hour)).figures).toEqual([]);
  expect((await minutes.readOverview('p', { points: 144, stepSeconds: 600 })).figures).toMatchObject([{ point: 137 }]);
});

it('adds up the records of the span until now, and those of the span before', async () => {
  await minutes.save(executor, [figuresOf('p', 1)]);
  await age(60);
  await minutes.save(executor, [figuresOf('p', 20), figuresOf('q', 7)]);
  await age(1);
  await minutes.save(executor, [figuresOf('p', 300)]);
  const { records, recordsBefore } = await minutes.readOverview('p', hour);
  expect([records.written, recordsBefore.written]).toEqual([320, 1]);
  await age(61);
  expect((await minutes.readOverview('p', hour)).recordsBefore.written).toBe(320);
});

// The clock of the database is set back: what it wrote before lies in the future until then, and is counted then.
it('a clock that jumps leaves a gap, and adds to the minutes that were there', async () => {
  await minutes.save(executor, [figuresOf('p', 1)]);
  await age(-5);
  await minutes.save(executor, [figuresOf('p', 2)]);
  await age(1);
  expect((await minutes.readOverview('p', hour)).figures.map(({ counts }) => counts.written)).toEqual([2]);
  await age(4);
  const { figures } = await minutes.readOverview('p', hour);
  expect(figures).toMatchObject([{ point: 55, counts: { written: 2 } }]);
  await age(1);
  const both = (await minutes.readOverview('p', hour)).figures.map(({ counts }) => counts.written);
  expect(new Set(both)).toEqual(new Set([1, 2]));
});

it('a process that died is not among those that are alive; versions are of those that are', async () => {
  await minutes.save({ ...executor, version: '0.9.0' }, []);
  await minutes.save({ service: 'batcher', process: 'batcher/a/1', version: '0.9.0' }, []);
  await age(10);
  await minutes.save({ ...executor, process: 'executor/b/1' }, []);
  await minutes.save({ ...executor, process: 'executor/c/1', version: '1.1.0' }, []);
  const { services } = await minutes.readOverview('p', hour);
  expect(services).toMatchObject([
    { service: 'batcher', processes: 0, versions: ['0.9.0'] },
    { service: 'executor', processes: 2, versions: ['1.0.0', '1.1.0'] },
  ]);
});

it('deletes counts older than fifteen days, and the rest after eight, a step at a time', async () => {
  await minutes.save(executor, [figuresOf('p', 1), figuresOf('q', 1)]);
  await age(8 * 1_440 + 1);
  expect(await minutes.purge(1)).toBe(1);
  expect((await fixture.database.raw<{ rowCount: number }>('select * from minutes')).rowCount).toBe(2);
  expect((await fixture.database.raw<{ rowCount: number }>('select * from process_minutes')).rowCount).toBe(0);
  await age(7 * 1_440);
  await minutes.save(executor, [figuresOf('p', 1)]);
  expect(await minutes.purge(1)).toBe(1);
  expect(await minutes.purge(1)).toBe(1);
  expect(await minutes.purge(1)).toBe(0);
  expect((await fixture.database.raw<{ rowCount: number }>('select * from minutes')).rowCount).toBe(1);
  expect((await fixture.database.raw<{ rowCount: number }>('select * from process_minutes')).rowCount).toBe(1);
});
