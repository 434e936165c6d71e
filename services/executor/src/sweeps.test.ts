import type { Page, Step } from '@sluice/store';
import { LaneQueue } from './lane-queue';
import { createSweep, readySweep } from './sweeps';

type Lane = { projectId: string; laneId: string };

/** Lanes that wait, each of them ready, and what was requested of them. */
function waitingLanes(count: number) {
  const laneIds = Array.from({ length: count }, (_, n) => String(n).padStart(6, '0'));
  const asked: Page<Lane>[] = [];
  const findReadyLanes = (page: Page<Lane>): Promise<Step<Lane, Lane>> => {
    asked.push(page);
    const rest = laneIds.filter((id) => id > (page.after?.laneId ?? '')).slice(0, page.limit);
    const found = rest.map((laneId) => ({ projectId: 'p1', laneId }));
    const last = found.length < page.limit ? undefined : found.at(-1);
    return Promise.resolve({ found, ...(last && { next: last }) });
  };
  return { asked, findReadyLanes };
}

describe('a sweep in steps', () => {
  it('continues where the last pass ended, and starts over after its end', async () => {
    const numbers = [1, 2, 3, 4, 5];
    const pass = createSweep((after: number | undefined) => {
      const found = numbers.filter((n) => n > (after ?? 0)).slice(0, 1);
      return Promise.resolve({ found, ...(found.length === 0 ? {} : { next: found[0] }) });
    }, 2);
    expect(await pass()).toEqual({ found: [1, 2], isCut: true });
    expect(await pass()).toEqual({ found: [3, 4], isCut: true });
    expect(await pass()).toEqual({ found: [5], isCut: false });
    expect(await pass()).toEqual({ found: [1, 2], isCut: true });
  });
});

// At 100,000 waiting lanes one pass over all of them took 1.2 s of the database, every 2 s and in every executor.
describe('the sweep of ready lanes', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('reads a bounded number of lanes, once in 2 s while there is something to do', async () => {
    const waiting = waitingLanes(10_000);
    const lanes = new LaneQueue(() => undefined);
    const sweep = readySweep(waiting, lanes, () => undefined);
    await sweep();
    expect(waiting.asked.map(({ limit }) => limit)).toEqual([1_000, 1_000, 1_000]);
    await sweep();
    jest.advanceTimersByTime(1_000);
    await sweep();
    expect(waiting.asked).toHaveLength(3);
    jest.advanceTimersByTime(1_000);
    await sweep();
    expect(waiting.asked).toHaveLength(6);
    expect(waiting.asked[3]?.after?.laneId).toBe('002999');
    lanes.stop();
  });

  it('continues at once when what it found is used up', async () => {
    const waiting = waitingLanes(7_000);
    const lanes = new LaneQueue(() => undefined);
    const sweep = readySweep(waiting, lanes, () => undefined);
    const found = new Set<string>();
    for (let pass = 0; pass < 3; pass += 1) {
      await sweep();
      for (const { laneId } of lanes.take(10_000)) found.add(laneId);
    }
    expect(found.size).toBe(7_000);
    await sweep();
    expect(waiting.asked).toHaveLength(8);
    lanes.stop();
  });
});
