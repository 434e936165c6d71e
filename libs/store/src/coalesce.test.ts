import { DefectError, DependencyError } from '@sluice/errors';
import { coalesce, shareReads } from './coalesce';
import { setTimeout } from 'node:timers/promises';

interface Run<Item> {
  readonly items: readonly Item[];
  finish(): void;
  fail(error: unknown): void;
}

/** A run that waits until the test ends it; returns ten times each item. */
function heldRuns() {
  const runs: Run<number>[] = [];
  const run = (items: readonly number[]): Promise<readonly number[]> =>
    new Promise((resolve, reject) => {
      runs.push({ items: [...items], finish: () => resolve(items.map((item) => item * 10)), fail: reject });
    });
  return { runs, run, itemsOf: () => runs.map(({ items }) => items) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const unreachable = () => new DependencyError({ code: 'service.unavailable', detail: 'The database does not answer.' });
const broken = () => new DefectError({ code: 'service.defect', detail: 'One row is wrong.' });

describe('coalesce', () => {
  it('shares a run between what comes in one turn, and answers each item', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 1 });
    const results = Promise.all([add(1), add(2), add(3)]);
    await turn();
    expect(itemsOf()).toEqual([[1, 2, 3]]);
    runs[0]?.finish();
    expect(await results).toEqual([10, 20, 30]);
  });

  it('runs at once when idle, also the second time', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 1 });
    for (const item of [1, 2]) {
      const result = add(item);
      await turn();
      runs.at(-1)?.finish();
      expect(await result).toBe(item * 10);
    }
    expect(itemsOf()).toEqual([[1], [2]]);
  });

  it('collects what comes during a run into the next, in order', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 1 });
    const results = [add(1)];
    await turn();
    results.push(add(2));
    await turn();
    results.push(add(3), add(4));
    await turn();
    expect(itemsOf()).toEqual([[1]]);
    runs[0]?.finish();
    await turn();
    expect(itemsOf()).toEqual([[1], [2, 3, 4]]);
    runs[1]?.finish();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40]);
  });

  it('keeps to the most items of a run and the most runs at a time', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 2, runsMax: 2 });
    const results = Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => add(item)));
    await turn();
    expect(itemsOf()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    runs[1]?.finish();
    await turn();
    expect(itemsOf().slice(2)).toEqual([[5, 6]]);
    for (const each of runs) each.finish();
    await turn();
    runs[3]?.finish();
    expect(await results).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });

  it('starts another run beside one only with enough items, and with whatever there is when that one has ended', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 2, itemsMin: 3 });
    const results = [add(1)];
    await turn();
    results.push(add(2), add(3));
    await turn();
    expect(itemsOf()).toEqual([[1]]);
    results.push(add(4), add(5));
    await turn();
    expect(itemsOf()).toEqual([[1], [2, 3, 4, 5]]);
    results.push(add(6));
    runs[0]?.finish();
    await turn();
    expect(itemsOf()).toHaveLength(2);
    runs[1]?.finish();
    await turn();
    expect(itemsOf()).toEqual([[1], [2, 3, 4, 5], [6]]);
    runs[2]?.finish();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
  });

  // What a statement costs hardly depends on its rows: the first to come after a shared one waits for others.
  describe('that gathers', () => {
    const gatherMs = 100;

    it('waits for more after a run of several, and for nobody after one of a single item', async () => {
      const { run, runs, itemsOf } = heldRuns();
      const add = coalesce({ run, itemsMax: 10, runsMax: 1, gatherMs });
      const results = [add(1), add(2)];
      await turn();
      results.push(add(3));
      await turn();
      runs[0]?.finish();
      await turn();
      results.push(add(4));
      await turn();
      expect(itemsOf()).toEqual([[1, 2]]);
      await setTimeout(2 * gatherMs);
      expect(itemsOf()).toEqual([
        [1, 2],
        [3, 4],
      ]);
      results.push(add(5));
      await turn();
      runs[1]?.finish();
      await setTimeout(2 * gatherMs);
      runs[2]?.finish();
      await turn();
      results.push(add(6));
      await turn();
      expect(itemsOf()).toEqual([[1, 2], [3, 4], [5], [6]]);
      runs[3]?.finish();
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
    });

    it('runs at once when the shared run was long ago, and when there are enough for a whole one', async () => {
      const { run, runs, itemsOf } = heldRuns();
      const add = coalesce({ run, itemsMax: 2, runsMax: 1, gatherMs });
      const results = [add(1), add(2)];
      await turn();
      results.push(add(3), add(4));
      runs[0]?.finish();
      await turn();
      expect(itemsOf()).toEqual([
        [1, 2],
        [3, 4],
      ]);
      runs[1]?.finish();
      await setTimeout(50);
      results.push(add(5));
      await turn();
      expect(itemsOf()).toHaveLength(3);
      runs[2]?.finish();
      expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    });

    // A statement that waits for a lock must not hold back those that would not.
    it('waits for a run that is stuck no longer than 20 ms', async () => {
      const { run, runs, itemsOf } = heldRuns();
      const add = coalesce({ run, itemsMax: 10, runsMax: 2, gatherMs });
      const results = [add(1)];
      await turn();
      results.push(add(2));
      await setTimeout(gatherMs);
      expect(itemsOf()).toEqual([[1], [2]]);
      for (const each of runs) each.finish();
      expect(await Promise.all(results)).toEqual([10, 20]);
    });
  });

  // A statement must stay small.
  it.each([
    [
      [3, 3, 3, 3],
      [[3, 3, 3], [3]],
    ],
    [
      [5, 5, 1],
      [[5, 5], [1]],
    ],
    [
      [11, 1],
      [[11], [1]],
    ],
    [
      [1, 11],
      [[1], [11]],
    ],
    [
      [4, 6, 1],
      [[4, 6], [1]],
    ],
  ])('divides items of weight %j by weight, in order', async (weights, expected) => {
    const runs: number[][] = [];
    const add = coalesce<number, number>({
      run: (items) => {
        runs.push([...items]);
        return Promise.resolve([...items]);
      },
      itemsMax: 10,
      runsMax: 1,
      weightOf: (item) => item,
      weightMax: 10,
    });
    expect(await Promise.all(weights.map((weight) => add(weight)))).toEqual(weights);
    expect(runs).toEqual(expected);
  });

  // One request must not fail its neighbours.
  it('repeats item by item when a run fails for one of them', async () => {
    const runs: number[][] = [];
    const add = coalesce<number, number>({
      run: (items) => {
        runs.push([...items]);
        return items.includes(2) ? Promise.reject(broken()) : Promise.resolve(items.map((item) => item * 10));
      },
      itemsMax: 10,
      runsMax: 1,
    });
    const results = await Promise.allSettled([add(1), add(2), add(3)]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'refused'))).toEqual([
      10,
      'refused',
      30,
    ]);
    expect(runs).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('repeats after an error of the run itself', async () => {
    const add = coalesce<number, number>({
      run: (items) => {
        if (items.length > 1) throw new TypeError('not together');
        return Promise.resolve([...items]);
      },
      itemsMax: 10,
      runsMax: 1,
    });
    expect(await Promise.all([add(1), add(2)])).toEqual([1, 2]);
  });

  // A hundred repetitions against a database that is gone would each wait for their timeout.
  it('repeats nothing when a dependency fails: every item gets the error', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 1 });
    const results = Promise.allSettled([add(1), add(2)]);
    await turn();
    const error = unreachable();
    runs[0]?.fail(error);
    expect(await results).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    expect(itemsOf()).toEqual([[1, 2]]);
  });

  it('goes on after a failure', async () => {
    const { run, runs } = heldRuns();
    const add = coalesce({ run, itemsMax: 10, runsMax: 1 });
    const first = Promise.allSettled([add(1)]);
    await turn();
    const second = add(2);
    runs[0]?.fail(broken());
    expect(await first).toMatchObject([{ status: 'rejected' }]);
    await turn();
    runs[1]?.finish();
    expect(await second).toBe(20);
  });

  // Two rows of one idempotency key in one statement would be refused by the database.
  it('never puts two items of one key into a run; items without a key are not held up by each other', async () => {
    const { run, runs, itemsOf } = heldRuns();
    const keyOf = (item: number): string | undefined => (item < 10 ? `key ${item % 2}` : undefined);
    const add = coalesce({ run, itemsMax: 10, runsMax: 1, keyOf });
    const results = Promise.all([add(1), add(2), add(10), add(10), add(3), add(4)]);
    for (let at = 0; at < 2; at += 1) {
      await turn();
      await turn();
      runs[at]?.finish();
    }
    expect(await results).toEqual([10, 20, 100, 100, 30, 40]);
    expect(itemsOf()).toEqual([
      [1, 2, 10, 10],
      [3, 4],
    ]);
  });
});

/** Records the keys of each statement, and returns the keys themselves. */
function sharedReads() {
  const statements: string[] = [];
  const find = shareReads((keys: readonly string[]) => {
    statements.push(keys.join());
    return Promise.resolve(keys);
  });
  return { statements, find };
}

// Sixteen callers of one moment cost one statement, not sixteen.
it('shares one statement among the reads of one moment, and gives each its own result', async () => {
  const { statements, find } = sharedReads();
  expect(await Promise.all(['a', 'b', 'c'].map(find))).toEqual(['a', 'b', 'c']);
  expect(statements).toEqual(['a,b,c']);
});

// A block, a token or a config that was changed before is in force for whoever asks.
it('keeps nothing: who asks later has a statement of his own', async () => {
  const { statements, find } = sharedReads();
  await find('a');
  await find('a');
  expect(statements).toEqual(['a', 'a']);
});
