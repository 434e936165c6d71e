import { LaneQueue } from './lane-queue';

const lane = (laneId: string) => ({ projectId: 'p1', laneId });

// The clock is jest's: timers and performance.now() pass together.
describe('the queue of awake lanes', () => {
  let queue: LaneQueue;
  beforeEach(() => {
    jest.useFakeTimers();
    queue = new LaneQueue(() => undefined);
  });
  afterEach(() => {
    queue.stop();
    jest.useRealTimers();
  });
  const taken = (count: number) => queue.take(count).map(({ laneId }) => laneId);

  it('gives lanes in turns, each once however often it was woken', () => {
    for (const id of ['a', 'b', 'a', 'c']) queue.wake(lane(id), 'message');
    expect(queue.size()).toBe(3);
    expect(taken(2)).toEqual(['a', 'b']);
    queue.wake(lane('a'), 'message');
    expect(taken(5)).toEqual(['c', 'a']);
  });

  it('does not wake a lane that sleeps, and wakes it by itself afterwards', () => {
    queue.wake(lane('a'), 'message');
    queue.sleep(lane('a'), 10_000);
    queue.wake(lane('a'), 'message');
    expect([queue.size(), queue.isAsleep(lane('a'))]).toEqual([0, true]);
    jest.advanceTimersByTime(11_000);
    expect([taken(1), queue.isAsleep(lane('a'))]).toEqual([['a'], false]);
  });

  // Hints only: what is left out here is found by the sweep of ready lanes.
  it('holds a bounded number of lanes and of timers', () => {
    for (let n = 0; n < 25_000; n += 1) queue.wake(lane(`awake-${n}`), 'message');
    expect(queue.size()).toBe(10_000);
    taken(10_000);
    for (let n = 0; n < 25_000; n += 1) queue.wakeLater(lane(`later-${n}`), 1_000);
    expect(jest.getTimerCount()).toBe(10_000);
  });
});
