import type { PlannedCall, SealedRecord } from '@sluice/store';
import { seeded } from '../../test/builders';
import { headersKeyOf, orderKeyOf, planCalls } from './plan-calls';

function record(index: number, o: Partial<SealedRecord> = {}): SealedRecord {
  return { index, connectionId: 'k1', headersKey: '', isBehindAnother: false, planBytes: 1, ...o };
}

const indexesOf = (calls: readonly PlannedCall[]) => calls.map((call) => call.recordIndexes);

describe('planCalls', () => {
  it('plans nothing for nothing', () => {
    expect(planCalls([], { records: 100 })).toEqual([]);
  });

  it('fills calls to the limit, numbered from 1', () => {
    const calls = planCalls(
      [0, 1, 2, 3, 4].map((index) => record(index)),
      { records: 2 },
    );
    expect(calls).toEqual([
      { number: 1, connectionId: 'k1', recordIndexes: [0, 1], planBytes: 2 },
      { number: 2, connectionId: 'k1', recordIndexes: [2, 3], planBytes: 2 },
      { number: 3, connectionId: 'k1', recordIndexes: [4], planBytes: 1 },
    ]);
  });

  it('fills calls to four megabytes of plans; a record that has more goes alone', () => {
    const records = [0, 1, 2, 3, 4].map((index) => record(index, { planBytes: 950_000 }));
    const large = record(5, { planBytes: 5_000_000 });
    expect(planCalls([...records, large, record(6)], { records: 100 })).toEqual([
      { number: 1, connectionId: 'k1', recordIndexes: [0, 1, 2, 3, 6], planBytes: 3_800_001 },
      { number: 2, connectionId: 'k1', recordIndexes: [4], planBytes: 950_000 },
      { number: 3, connectionId: 'k1', recordIndexes: [5], planBytes: 5_000_000 },
    ]);
    const exact = [record(0, { planBytes: 3_999_999 }), record(1), record(2)];
    expect(indexesOf(planCalls(exact, { records: 100 }))).toEqual([[0, 1], [2]]);
  });

  it('makes single calls where the provider has no batch endpoint', () => {
    expect(indexesOf(planCalls([record(0), record(1)], { records: 1 }))).toEqual([[0], [1]]);
  });

  it('puts one connection and equal headers into a call', () => {
    const records = [
      record(0),
      record(1, { connectionId: 'k2' }),
      record(2, { headersKey: 'h' }),
      record(3),
      record(4, { headersKey: 'h' }),
    ];
    expect(indexesOf(planCalls(records, { records: 100 }))).toEqual([[0, 3], [1], [2, 4]]);
  });

  // A provider refuses a call that holds a record twice, and the other 99 with it.
  it('puts the second write to a record into a later call, and what is free beside the first', () => {
    const records = [record(0, { orderKey: 'a' }), record(1, { orderKey: 'a' }), record(2, { orderKey: 'b' })];
    expect(indexesOf(planCalls(records, { records: 100 }))).toEqual([[0, 2], [1]]);
  });

  it('never puts a later write to a record before an earlier one, not even where there is room', () => {
    const records = [
      record(0, { orderKey: 'a' }),
      record(1, { orderKey: 'a' }),
      record(2, { orderKey: 'a' }),
      record(3, { orderKey: 'b' }),
    ];
    expect(indexesOf(planCalls(records, { records: 2 }))).toEqual([[0, 3], [1], [2]]);
  });

  it('keeps creates together: they have no record yet', () => {
    expect(indexesOf(planCalls([record(0), record(1)], { records: 100 }))).toEqual([[0, 1]]);
  });

  it('gives a record behind another operation a call of its own, which nobody joins', () => {
    const records = [record(0), record(1, { orderKey: 'a', isBehindAnother: true }), record(2), record(3)];
    expect(indexesOf(planCalls(records, { records: 100 }))).toEqual([[0, 2, 3], [1]]);
  });
});

describe('planCalls, for any batch', () => {
  const seeds = Array.from({ length: 500 }, (_, seed) => seed);

  it('keeps every promise', () => {
    const broken = seeds.flatMap((seed) => {
      const { records, limit } = generate(seeded(seed));
      const calls = planCalls(records, { records: limit, planBytes: bytesMax });
      return brokenPromises(records, calls, limit).map((promise) => `seed ${seed}: ${promise}`);
    });
    expect(broken).toEqual([]);
  });

  // The check must be able to fail, else it proves nothing.
  it('is checked by a check that bites', () => {
    const records = [
      record(0, { orderKey: 'a' }),
      record(1, { orderKey: 'a' }),
      record(2, { headersKey: 'h', planBytes: bytesMax }),
    ];
    const bad = [{ number: 1, connectionId: 'k2', recordIndexes: [1, 0, 2, 2], planBytes: 4 }];
    expect(brokenPromises(records, bad, 2)).toEqual([
      'every record once',
      'within the limit',
      'within the bytes',
      'accept order inside a call',
      'one connection',
      'equal headers',
      'no record twice in a call',
    ]);
    const swapped = [[1], [0], [2]].map((recordIndexes, at) => ({
      number: at + 1,
      connectionId: 'k1',
      recordIndexes,
      planBytes: recordIndexes[0] === 2 ? bytesMax : 1,
    }));
    expect(brokenPromises(records, swapped, 2)).toEqual(['accept order per record']);
  });
});

/** Of one call; some records alone have more. */
const bytesMax = 1_000;

const bytesOf = (members: readonly SealedRecord[]) => members.reduce((sum, { planBytes }) => sum + planBytes, 0);

function generate(random: () => number): { records: SealedRecord[]; limit: number } {
  const pick = (count: number): number => Math.floor(random() * count);
  const behind = new Set(['0', '1', '2'].filter(() => random() < 0.2));
  const keys = 1 + pick(12);
  const records = Array.from({ length: pick(101) }, (_, index) => {
    const orderKey = random() < 0.7 ? String(pick(keys)) : undefined;
    return record(index, {
      connectionId: `k${pick(2)}`,
      headersKey: random() < 0.2 ? 'h' : '',
      planBytes: random() < 0.05 ? 2 * bytesMax : pick(bytesMax),
      ...(orderKey === undefined ? {} : { orderKey, isBehindAnother: behind.has(orderKey) }),
    });
  });
  return { records, limit: 1 + pick(100) };
}

/** Records stand in `records` by index. */
function brokenPromises(records: readonly SealedRecord[], calls: readonly PlannedCall[], limit: number): string[] {
  const byIndex = new Map(records.map((each) => [each.index, each]));
  const at = (index: number): SealedRecord[] => [byIndex.get(index) ?? []].flat();
  const indexes = calls.flatMap((call) => call.recordIndexes);
  const all = (holds: (members: SealedRecord[], call: PlannedCall) => boolean): boolean =>
    calls.every((call) => holds(call.recordIndexes.flatMap(at), call));
  const promises: [promise: string, isKept: boolean][] = [
    ['every record once', isRising(indexes.toSorted((a, b) => a - b)) && indexes.length === records.length],
    ['numbers from 1', calls.every((call, position) => call.number === position + 1)],
    ['within the limit', all((members) => members.length > 0 && members.length <= limit)],
    ['within the bytes', all((members) => members.length === 1 || bytesOf(members) <= bytesMax)],
    [
      'its bytes',
      all((members, call) => new Set(members).size < members.length || bytesOf(members) === call.planBytes),
    ],
    ['accept order inside a call', all((_, call) => isRising([...new Set(call.recordIndexes)]))],
    ['one connection', all((members, call) => members.every((each) => each.connectionId === call.connectionId))],
    ['equal headers', all((members) => new Set(members.map((each) => each.headersKey)).size === 1)],
    ['no record twice in a call', all((members) => isDistinct(members.flatMap((each) => each.orderKey ?? [])))],
    ['alone behind another', all((members) => members.length === 1 || members.every((each) => !each.isBehindAnother))],
    ['accept order per record', keepsOrderPerRecord(records, calls)],
  ];
  return promises.flatMap(([promise, isKept]) => (isKept ? [] : [promise]));
}

/** Within one connection and one set of headers; between such groups the claim keeps the order. */
function keepsOrderPerRecord(records: readonly SealedRecord[], calls: readonly PlannedCall[]): boolean {
  const callOf = new Map(calls.flatMap((call) => call.recordIndexes.map((index) => [index, call.number] as const)));
  const ordered = records.filter((each) => each.orderKey !== undefined);
  const groups = Map.groupBy(ordered, (each) => JSON.stringify([each.orderKey, each.connectionId, each.headersKey]));
  return [...groups.values()].every((group) =>
    isRising([...new Set(group.map(({ index }) => callOf.get(index) ?? 0))]),
  );
}

function isRising(numbers: readonly number[]): boolean {
  return numbers.every((number, position) => position === 0 || number > (numbers[position - 1] ?? 0));
}

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

describe('orderKeyOf', () => {
  it('is equal for writes to one record of one account, and differs with each part', () => {
    const key = orderKeyOf('l1', 'contacts', '7');
    expect(orderKeyOf('l1', 'contacts', '7')).toBe(key);
    const others = [
      orderKeyOf('l2', 'contacts', '7'),
      orderKeyOf('l1', 'deals', '7'),
      orderKeyOf('l1', 'contacts', '8'),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });

  it('gives none to a create, which is unordered', () => {
    expect(orderKeyOf('l1', 'contacts', undefined)).toBeUndefined();
  });
});

describe('headersKeyOf', () => {
  const trace = { key: 'X-Trace', value: 'a' };
  const assign = { key: 'Sforce-Auto-Assign', value: 'FALSE' };

  it('is empty without headers', () => {
    expect(headersKeyOf(undefined)).toBe('');
    expect(headersKeyOf([])).toBe('');
  });

  it('ignores order and the case of names', () => {
    const key = headersKeyOf([trace, assign]);
    expect(headersKeyOf([assign, trace])).toBe(key);
    expect(headersKeyOf([{ ...trace, key: 'x-trace' }, assign])).toBe(key);
  });

  it('differs with a value, its case, or another header', () => {
    const keys = [[trace], [{ ...trace, value: 'A' }], [{ ...trace, value: 'b' }], [trace, assign], [assign]];
    expect(new Set(keys.map(headersKeyOf)).size).toBe(keys.length);
  });

  it('shows no value: a header may carry a secret', () => {
    expect(headersKeyOf([{ key: 'x-token', value: 'canary' }])).not.toContain('canary');
  });
});
