import type { BatchUpdate, Connector, RecordResult, UpdateWrite } from '@sluice/connectors';
import { claimedCall, connector, failure, hubspotLike, live, seeded, sendable } from '../../test/builders';
import { isolateRefused, performCall } from './perform-call';
import type { CallToPerform, Sendable } from './attempt';

const refused = failure({ scope: 'call', status: 400, mayBeOneRecord: true });
const hold = { signal: new AbortController().signal, mayStillSend: () => true };
const recordsOf = (count: number) => Array.from({ length: count }, (_, index) => sendable({ index }));
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A provider that refuses every call with a bad record as a whole, as HubSpot does for an unknown property. */
function refusingFor(bad: ReadonlySet<string>, { error = refused, most = Infinity } = {}) {
  const written: string[] = [];
  let calls = 0;
  const write = (ids: readonly string[]): RecordResult[] => {
    calls += 1;
    if (ids.length > most || ids.some((id) => bad.has(id)))
      return ids.map(() => ({ ok: false, error: ids.length > 1 ? error : failure() }));
    written.push(...ids);
    return ids.map((recordId) => ({ ok: true, recordId }));
  };
  const provider: Partial<Connector> = {
    update: ({ recordId }: UpdateWrite) => Promise.resolve(write([recordId])[0] ?? { ok: false, error: failure() }),
    updateBatch: ({ records }: BatchUpdate) => Promise.resolve(write(records.map(({ recordId }) => recordId))),
  };
  return { provider, written, calls: () => calls };
}

function perform(provider: Partial<Connector>, records: readonly Sendable[], more: Partial<CallToPerform> = {}) {
  return performCall({ call: claimedCall(), records, connector: connector(provider), live: live(), hold, ...more });
}

/** Performs the call and every call that goes on from it; whether each record was written, by index. */
async function performAll(provider: Partial<Connector>, records: readonly Sendable[]): Promise<Map<number, boolean>> {
  const { results, parts } = await perform(provider, records);
  const apart = parts.flat();
  // Each part is a contiguous run of what is left, in its order, and none is lost or named twice.
  expect(apart).toEqual(records.map(({ index }) => index).filter((index) => apart.includes(index)));
  const ended = new Map<number, boolean>();
  for (const [at, { index }] of records.entries())
    if (!apart.includes(index)) ended.set(index, results[at]?.ok ?? false);
  for (const part of parts) {
    const again = records.filter(({ index }) => part.includes(index));
    for (const [index, isWritten] of await performAll(provider, again)) ended.set(index, isWritten);
  }
  return ended;
}

async function expectIsolated(indexes: readonly number[], count: number): Promise<void> {
  const bad = new Set(indexes.map((at) => `r${at}`));
  const { provider, written, calls } = refusingFor(bad);
  const ended = await performAll(provider, recordsOf(count));
  const good = range(count).filter((index) => !indexes.includes(index));
  expect(range(count).map((index) => ended.get(index))).toEqual(range(count).map((index) => !indexes.includes(index)));
  expect(written.toSorted()).toEqual(good.map((index) => `r${index}`).toSorted());
  expect(calls()).toBeLessThanOrEqual(2 * bad.size * Math.ceil(Math.log2(count)) + 1);
  expect(calls()).toBeLessThanOrEqual(2 * count - 1);
}

// Specification, batchPolicy: successful records are committed even if others fail.
it.each([
  [0, 100],
  [1, 100],
  [2, 100],
  [5, 100],
  [50, 100],
  [100, 100],
  [1, 2],
  [1, 3],
  [3, 7],
])('%i bad records of %i: the others are written once, within the bound of calls', async (badCount, count) => {
  // Spread over the batch, the first and the last among them.
  const indexes = range(badCount).map((at) =>
    badCount === 1 ? count - 1 : Math.round((at * (count - 1)) / (badCount - 1)),
  );
  await expectIsolated(indexes, count);
});

it('any set of bad records of a batch of any size', async () => {
  const random = seeded(20_261_121);
  for (let round = 0; round < 300; round += 1) {
    const count = 1 + Math.floor(random() * 100);
    const share = random() ** 3;
    await expectIsolated(
      range(count).filter(() => random() < share),
      count,
    );
  }
});

const tooLarge = failure({ scope: 'call', class: 'unavailable', mayBeOneRecord: true, isOfSize: true });

// A heavy record has the words of a heavy call: the bound for a record at fault is the same, wherever it stands.
it('one record that is too much by itself, at any position of a call of any size', async () => {
  for (const count of [2, 3, 4, 5, 6, 7, 9, 16, 17, 33, 64, 65, 100, 128, 200]) {
    for (let at = 0; at < count; at += Math.max(1, Math.floor(count / 9))) {
      const { provider, written, calls } = refusingFor(new Set([`r${at}`]), { error: tooLarge });
      const ended = await performAll(provider, recordsOf(count));
      expect([...ended].filter(([, isWritten]) => !isWritten).map(([index]) => index)).toEqual([at]);
      expect(written).toHaveLength(count - 1);
      expect(calls()).toBeLessThanOrEqual(Math.min(2 * Math.ceil(Math.log2(count)), 2 * count - 2) + 1);
    }
  }
});

it('an account that takes fewer records in a call, of any size and any limit: all are written once, few calls are wasted', async () => {
  for (const count of [2, 3, 10, 57, 99, 100, 200]) {
    for (const most of [1, 2, 9, 10, 50, 99].filter((limit) => limit < count)) {
      const { provider, written, calls } = refusingFor(new Set(), { error: tooLarge, most });
      await performAll(provider, recordsOf(count));
      expect(written.toSorted()).toEqual(
        range(count)
          .map((index) => `r${index}`)
          .toSorted(),
      );
      expect(calls()).toBeLessThanOrEqual(Math.ceil((4 * count) / most) + Math.ceil((4 * count) / (3 * most)));
      expect(calls()).toBeLessThanOrEqual(2 * count - 1);
    }
  }
  const { provider, calls } = refusingFor(new Set(), { error: tooLarge, most: 10 });
  await performAll(provider, recordsOf(100));
  expect(calls()).toBe(1 + 4 + 16);
});

describe('a list in which records fail alike beside others', () => {
  const outcomes = (type: 'create' | 'update', ...results: (RecordResult | Sendable)[]) =>
    isolateRefused(
      { call: claimedCall({ type }), connector: connector() },
      results.map((_, index) => sendable({ index, ...(index === 3 && { firstSentAt: new Date(0) }) })),
      results as RecordResult[],
    );
  const [alike, ok] = [{ ok: false, error: tooLarge } as const, { ok: true, recordId: 'r' } as const];
  const failed = (error: Parameters<typeof failure>[0]) => ({ ok: false, error: failure(error) }) as const;

  it('goes on without what has ended, which keeps its own outcome', () => {
    const own = failed({ class: 'rejected' });
    const { results, parts } = outcomes('create', alike, own, alike, alike);
    expect([parts, results[1]]).toEqual([[[0, 2, 3]], own]);
    expect(outcomes('update', ok, alike).parts).toEqual([[1]]);
  });

  it.each([
    ['may have been written', failed({ class: 'unknown' })],
    ['is to be tried again', failed({ class: 'unavailable' })],
    ['collided with what may be its own', failed({ class: 'conflict' })],
  ])('stays one call beside a create that %s; updates go along', (_, open) => {
    expect(outcomes('create', alike, alike, ok, open).parts).toEqual([]);
    expect(outcomes('update', alike, alike, ok, open).parts).toEqual([[0, 1, 3]]);
  });
});

it('leaves an all-or-none batch as the provider decided', async () => {
  const { provider, written, calls } = refusingFor(new Set(['r1']));
  const capabilities = { ...hubspotLike, allOrNone: { create: true, update: true } };
  const call = claimedCall({ allOrNone: true });
  const { results, parts } = await perform({ ...provider, capabilities }, recordsOf(4), { call });
  expect(results.map((result) => result.ok)).toEqual([false, false, false, false]);
  expect([parts, written, calls()]).toEqual([[], [], 1]);
});

it('halves an all-or-none batch where the provider knows none', async () => {
  const { parts } = await perform(refusingFor(new Set(['r1'])).provider, recordsOf(5), {
    call: claimedCall({ allOrNone: true }),
  });
  expect(parts).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

it('does not divide what is refused for every record', async () => {
  const error = failure({ scope: 'call' });
  const updateBatch = ({ records }: BatchUpdate) => Promise.resolve(records.map(() => ({ ok: false, error }) as const));
  expect((await perform({ updateBatch }, recordsOf(10))).parts).toEqual([]);
});

describe('fields that the reply names', () => {
  const carrying = (index: number) => sendable({ index, write: { fields: { nosuch: 1 } } });
  const isolate = (...records: Sendable[]) =>
    isolateRefused(
      { call: claimedCall(), connector: connector() },
      records,
      records.map(() => ({ ok: false, error: { ...refused, refusedFields: ['nosuch'] } })),
    );

  // The commonest mistake stands in every record of its caller: it must not cost the account's quota.
  it('fail exactly their records, and the others go on together', () => {
    const { results, parts } = isolate(sendable({ index: 0 }), carrying(1), sendable({ index: 2 }), carrying(3));
    expect(parts).toEqual([[0, 2]]);
    expect(results.map((result) => !result.ok && result.error.scope)).toEqual(['call', 'record', 'call', 'record']);
  });

  it('leave nothing to send when every record carries one', () => {
    const { results, parts } = isolate(carrying(0), carrying(1));
    expect(parts).toEqual([]);
    expect(results.every((result) => !result.ok && result.error.scope === 'record')).toBe(true);
  });

  it('say nothing when no record carries one: the halves go on', () => {
    expect(isolate(sendable({ index: 4 }), sendable({ index: 7 })).parts).toEqual([[4], [7]]);
  });
});
