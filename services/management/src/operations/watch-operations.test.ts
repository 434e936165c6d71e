import { silentLogger } from '@sluice/telemetry';
import { watchOperations } from './watch-operations';

/** A store whose operations end when a test says so; counts the polls. */
function scene() {
  const ended = new Set<string>();
  const polls: number[] = [];
  let isAway = false;
  const findEnded = (keys: readonly { operationId: string }[]): Promise<Set<string>> => {
    polls.push(keys.length);
    return isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Set(ended));
  };
  const watch = watchOperations({ operations: { findEnded } } as never, silentLogger);
  return { watch, polls, end: (id: string) => ended.add(id), setAway: (away: boolean) => (isAway = away) };
}

const key = (operationId: string) => ({ projectId: 'p', operationId });
const never = new AbortController().signal;

beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance'] }));
afterEach(() => jest.useRealTimers());

async function isOver(waiting: Promise<void>): Promise<boolean> {
  return await Promise.race([waiting.then(() => true), Promise.resolve().then(() => false)]);
}

it('ends with the operation, and not with another one', async () => {
  const { watch, end } = scene();
  const waiting = watch.wait(key('a'), 30_000, never);
  end('b');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await isOver(waiting)).toBe(false);
  end('a');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await isOver(waiting)).toBe(true);
});

it('ends when the time is over, and polls no more', async () => {
  const { watch, polls } = scene();
  const waiting = watch.wait(key('a'), 2_000, never);
  await jest.advanceTimersByTimeAsync(1_999);
  expect(await isOver(waiting)).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(await isOver(waiting)).toBe(true);
  const before = polls.length;
  await jest.advanceTimersByTimeAsync(10_000);
  expect(polls.length - before).toBeLessThanOrEqual(1);
});

it('a thousand waiters share each poll', async () => {
  const { watch, polls } = scene();
  const waiting = Array.from({ length: 1_000 }, (_, at) => watch.wait(key(`o${at}`), 1_000, never));
  await jest.advanceTimersByTimeAsync(1_000);
  await Promise.all(waiting);
  expect(polls.length).toBeLessThanOrEqual(10);
  expect(polls[0]).toBe(1_000);
});

it('ends when the caller leaves or the watch stops; later ones do not wait', async () => {
  const { watch } = scene();
  const leaving = new AbortController();
  const [left, stopped] = [watch.wait(key('a'), 30_000, leaving.signal), watch.wait(key('b'), 30_000, never)];
  leaving.abort();
  await left;
  expect(await isOver(stopped)).toBe(false);
  watch.stop();
  await stopped;
  await watch.wait(key('c'), 30_000, never);
});

it('goes on after a poll that failed, and polls again for later waiters', async () => {
  const { watch, end, setAway } = scene();
  setAway(true);
  const waiting = watch.wait(key('a'), 30_000, never);
  await jest.advanceTimersByTimeAsync(1_000);
  setAway(false);
  end('a');
  await jest.advanceTimersByTimeAsync(1_000);
  await waiting;
  end('b');
  const later = watch.wait(key('b'), 30_000, never);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await isOver(later)).toBe(true);
});
