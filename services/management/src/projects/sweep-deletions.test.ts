import { silentLogger } from '@sluice/telemetry';
import { sweepDeletions } from './sweep-deletions';

type Erasure = 'withdrawing' | 'erasing' | 'waiting' | 'done';

/** Deleted projects with the outcomes of their steps, in this order; the last one repeats. Throws for a project without any. */
function scene(rounds: Record<string, Erasure[]>) {
  const erased: string[] = [];
  const left = new Map(Object.entries(rounds));
  const removed = () => Promise.resolve([...left.keys()]);
  const erase = (projectId: string): Promise<Erasure> => {
    erased.push(projectId);
    const answers = left.get(projectId) ?? [];
    const erasure = answers.length > 1 ? answers.shift() : answers[0];
    if (erasure === 'done') left.delete(projectId);
    return erasure === undefined ? Promise.reject(new Error('away')) : Promise.resolve(erasure);
  };
  return { erased, left, context: { logger: silentLogger, store: { projects: { removed, erase } } } as never };
}

let end: (() => Promise<void>) | undefined;
beforeEach(() => jest.useFakeTimers());
afterEach(async () => {
  await end?.();
  jest.useRealTimers();
});
const pass = () => jest.advanceTimersByTimeAsync(0);

it('gives each project a round in turn: a large one keeps no other waiting', async () => {
  const { erased, context } = scene({
    large: ['erasing', 'erasing', 'erasing', 'done'],
    small: ['withdrawing', 'done'],
  });
  end = sweepDeletions(context);
  await pass();
  expect(erased).toEqual(['large', 'small', 'large', 'small', 'large', 'large']);
});

it('begins with one that comes while a large one is erased', async () => {
  const { erased, left, context } = scene({ large: ['erasing'] });
  end = sweepDeletions(context);
  while (erased.length < 3) await Promise.resolve();
  left.set('late', ['withdrawing', 'done']);
  while (!erased.includes('late')) await Promise.resolve();
  left.set('large', ['done']);
  await pass();
  expect(left.size).toBe(0);
});

it('retries one that waits or fails with the next sweep, and no other sooner', async () => {
  const { erased, context } = scene({ waiting: ['waiting'], broken: [], large: ['erasing', 'erasing', 'done'] });
  end = sweepDeletions(context);
  await pass();
  expect(erased).toEqual(['waiting', 'broken', 'large', 'large', 'large']);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(erased.slice(5)).toEqual(['waiting', 'broken']);
});

it('ends between two rounds', async () => {
  const { erased, context } = scene({ large: ['erasing'] });
  end = sweepDeletions(context);
  while (erased.length < 3) await Promise.resolve();
  await end();
  const { length } = erased;
  await pass();
  expect(erased).toHaveLength(length);
});
