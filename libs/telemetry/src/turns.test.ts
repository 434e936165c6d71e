import { repeat } from './turns';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Runs that end when a test says so. */
function scene(isFirstNow: boolean) {
  const failures: unknown[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  let ended: (() => boolean) | undefined;
  const work = (isEnded: () => boolean) => {
    ended = isEnded;
    return new Promise<void>((resolve, reject) => ends.push((failure) => (failure ? reject(failure) : resolve())));
  };
  const end = repeat(work, { everyMs: 100, isFirstNow, onFailure: (error) => failures.push(error) });
  return { end, ends, failures, isEnded: () => ended?.() };
}

it('begins after the first interval, or at once', async () => {
  const [later, now] = [scene(false), scene(true)];
  expect([later.ends.length, now.ends.length]).toEqual([0, 1]);
  await jest.advanceTimersByTimeAsync(100);
  expect(later.ends.length).toBe(1);
});

it('is never done twice at the same time, and again after a failure', async () => {
  const { ends, failures } = scene(true);
  await jest.advanceTimersByTimeAsync(350);
  expect(ends.length).toBe(1);
  const failure = new Error('away');
  ends[0]?.(failure);
  await jest.advanceTimersByTimeAsync(100);
  expect([failures, ends.length]).toEqual([[failure], 2]);
});

it('ends after what is in progress, which can see the end', async () => {
  const { end, ends, isEnded } = scene(true);
  expect(isEnded()).toBe(false);
  const order: string[] = [];
  const over = end().then(() => order.push('over'));
  expect(isEnded()).toBe(true);
  await jest.advanceTimersByTimeAsync(500);
  order.push('run');
  ends[0]?.();
  await over;
  expect([order, ends.length]).toEqual([['run', 'over'], 1]);
});
