import { createMetrics, silentLogger } from '@sluice/telemetry';
import { createAdmission, type Admission } from './admission';

let counts: Map<string, number>;
let asked: string[][];
let isAway: boolean;
let countMs: number;
let admission: Admission;

beforeEach(() => {
  jest.useFakeTimers();
  [counts, asked, isAway, countMs] = [new Map(), [], false, 0];
  const countBacklog = async (ids: readonly string[]) => {
    asked.push([...ids]);
    await new Promise((done) => setTimeout(done, countMs));
    if (isAway) throw new Error('away');
    return new Map(ids.map((id) => [id, counts.get(id) ?? 0]));
  };
  const metrics = createMetrics('test');
  admission = createAdmission({ writes: { countBacklog }, backlogMax: 100, logger: silentLogger, metrics });
});
afterEach(async () => {
  await admission.stop();
  jest.useRealTimers();
});

const isFull = (projectId: string, records = 1) => {
  try {
    admission.assertRoom(projectId, records);
    return false;
  } catch {
    return true;
  }
};

describe('[sec-38] createAdmission', () => {
  it('adds what was let in to the last count, until the next one', async () => {
    expect(isFull('a', 60)).toBe(false);
    expect(isFull('a', 41)).toBe(true);
    expect(isFull('a', 40)).toBe(false);
    expect(isFull('a')).toBe(true);
    counts.set('a', 30);
    await jest.advanceTimersByTimeAsync(2_010);
    expect(isFull('a', 70)).toBe(false);
    expect(isFull('a')).toBe(true);
    expect(isFull('b', 100)).toBe(false);
  });

  it('keeps what was let in while the count was under way', async () => {
    countMs = 50;
    admission.assertRoom('a', 10);
    await jest.advanceTimersByTimeAsync(2_010);
    admission.assertRoom('a', 90);
    counts.set('a', 10);
    await jest.advanceTimersByTimeAsync(50);
    expect(isFull('a')).toBe(true);
  });

  it('asks for projects that are written to, and forgets them a minute later unless they are full', async () => {
    admission.assertRoom('quiet', 1);
    admission.assertRoom('full', 100);
    counts.set('full', 100);
    await jest.advanceTimersByTimeAsync(2_010);
    expect(asked.at(-1)).toEqual(['quiet', 'full']);
    await jest.advanceTimersByTimeAsync(62_000);
    expect(asked.at(-1)).toEqual(['full']);
    expect(isFull('full')).toBe(true);
  });

  it('holds on to the last count while the database is away', async () => {
    admission.assertRoom('a', 100);
    counts.set('a', 100);
    await jest.advanceTimersByTimeAsync(2_010);
    isAway = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(isFull('a')).toBe(true);
  });

  it('rests twenty times as long as a long count took', async () => {
    admission.assertRoom('a', 1);
    countMs = 1_000;
    await jest.advanceTimersByTimeAsync(2_000 + 1_000 + 19_000);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_100);
    expect(asked).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(1_000);
  });
});
