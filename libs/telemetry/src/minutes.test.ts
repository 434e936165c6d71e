import { createMetrics } from './metrics';
import { keepMinutes, type LivingProcess, type ProjectFigures } from './minutes';
import { silentLogger } from './logger';

const of = { projectId: 'p', provider: 'hubspot' };
const everyMs = 15_000;

/** A store that is away while `isAway`, and what it got. */
function keeping() {
  const metrics = createMetrics('executor');
  const saved: { process: LivingProcess; figures: readonly ProjectFigures[] }[] = [];
  const database = { isAway: false };
  const save = async (process: LivingProcess, figures: readonly ProjectFigures[]): Promise<void> => {
    if (database.isAway) throw new Error('away');
    saved.push({ process, figures });
  };
  const end = keepMinutes({ service: 'executor', metrics, store: { minutes: { save } }, logger: silentLogger });
  return { metrics, saved, database, end };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('stores what was counted since the last time, also when nothing was: the process is alive', async () => {
  const { metrics, saved, end } = keeping();
  metrics.byProject.count(of, 'written', 2);
  await jest.advanceTimersByTimeAsync(2 * everyMs);
  expect(saved.map(({ figures }) => figures.map(({ counts }) => counts.written))).toEqual([[2], []]);
  expect(saved[0]?.process).toMatchObject({ service: 'executor', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  metrics.byProject.count(of, 'written', 1);
  await end();
  expect(saved.at(-1)?.figures[0]?.counts.written).toBe(1);
});

it('an outage of the database loses nothing that was counted', async () => {
  const { metrics, saved, database, end } = keeping();
  database.isAway = true;
  metrics.byProject.count(of, 'failed', 1);
  metrics.byProject.observe(of, 'accept', 0.004);
  await jest.advanceTimersByTimeAsync(everyMs);
  metrics.byProject.count(of, 'failed', 2);
  metrics.byProject.observe(of, 'accept', 31);
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(saved).toEqual([]);
  database.isAway = false;
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(saved).toHaveLength(1);
  const [figures] = saved[0]?.figures ?? [];
  expect(figures?.counts.failed).toBe(3);
  expect([figures?.timings.accept[0], figures?.timings.accept.at(-1)]).toEqual([1, 1]);
  await end();
});

// Only an outage of the database keeps so many: a process must not grow without end for want of a chart.
it('keeps a bounded number of projects', () => {
  const { byProject } = createMetrics('executor');
  for (let n = 0; n < 10_100; n += 1) byProject.count({ projectId: `p${n}`, provider: 'hubspot' }, 'accepted', 1);
  expect(byProject.take()).toHaveLength(10_000);
});
