import type { BatchUpdate, Connector, RecordResult, UpdateWrite } from '@sluice/connectors';
import { claimedCall, connector, failure, hubspotLike, live, sendable } from '../../test/builders';
import { performCall, type CallToPerform } from './perform-call';

const refused = failure({ scope: 'call', status: 400, mayBeOneRecord: true });
const hold = { signal: new AbortController().signal, mayStillSend: () => true };

/** A provider that refuses every call with a bad record as a whole, as HubSpot does for an unknown property. */
function refusingFor(bad: ReadonlySet<string>) {
  const written: string[] = [];
  let calls = 0;
  const write = (ids: readonly string[]): RecordResult[] => {
    calls += 1;
    if (ids.some((id) => bad.has(id)))
      return ids.map(() => ({ ok: false, error: ids.length > 1 ? refused : failure() }));
    written.push(...ids);
    return ids.map((recordId) => ({ ok: true, recordId }));
  };
  const provider: Partial<Connector> = {
    update: ({ recordId }: UpdateWrite) => Promise.resolve(write([recordId])[0] ?? { ok: false, error: failure() }),
    updateBatch: ({ records }: BatchUpdate) => Promise.resolve(write(records.map(({ recordId }) => recordId))),
  };
  return { provider, written, calls: () => calls };
}

const recordsOf = (count: number) => Array.from({ length: count }, (_, index) => sendable({ index }));

function perform(provider: Partial<Connector>, count: number, more: Partial<CallToPerform> = {}) {
  const call = claimedCall();
  return performCall({ call, records: recordsOf(count), connector: connector(provider), live: live(), hold, ...more });
}

// Specification, batchPolicy: successful records are committed even if others fail.
it.each([
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
  const places = Array.from({ length: badCount }, (_, at) =>
    badCount === 1 ? count - 1 : Math.round((at * (count - 1)) / (badCount - 1)),
  );
  const bad = new Set(places.map((place) => `r${place}`));
  const { provider, written, calls } = refusingFor(bad);
  const { results } = await perform(provider, count);
  expect(results.map((result) => result.ok)).toEqual(recordsOf(count).map(({ index }) => !bad.has(`r${index}`)));
  expect(written.toSorted()).toEqual(
    recordsOf(count)
      .flatMap(({ index }) => (bad.has(`r${index}`) ? [] : [`r${index}`]))
      .toSorted(),
  );
  expect(calls()).toBeLessThanOrEqual(2 * badCount * Math.ceil(Math.log2(count)) + 1);
});

it('leaves an all-or-none batch as the provider decided', async () => {
  const { provider, written, calls } = refusingFor(new Set(['r1']));
  const capabilities = { ...hubspotLike, allOrNone: { create: true, update: true } };
  const { results } = await perform({ ...provider, capabilities }, 4, { call: claimedCall({ allOrNone: true }) });
  expect(results.map((result) => result.ok)).toEqual([false, false, false, false]);
  expect([written, calls()]).toEqual([[], 1]);
});

it('halves an all-or-none batch where the provider knows none', async () => {
  const { provider, written } = refusingFor(new Set(['r1']));
  await perform(provider, 4, { call: claimedCall({ allOrNone: true }) });
  expect(written).toEqual(['r0', 'r2', 'r3']);
});

it('does not halve what is refused for every record', async () => {
  let calls = 0;
  const updateBatch = ({ records }: BatchUpdate) => {
    calls += 1;
    return Promise.resolve(records.map(() => ({ ok: false, error: failure({ scope: 'call' }) }) as const));
  };
  await perform({ updateBatch }, 10);
  expect(calls).toBe(1);
});

it('stops where the quota ends: what was not sent may be sent later', async () => {
  const { provider, calls } = refusingFor(new Set(['r3']));
  let left = 2;
  const takeQuota = () =>
    Promise.resolve(left-- > 0 ? { granted: true, retryAfterMs: 0 } : { granted: false, retryAfterMs: 700 });
  const { results } = await perform(provider, 4, { takeQuota });
  expect(calls()).toBe(3);
  expect(results.map((result) => (result.ok ? 'ok' : result.error.class))).toEqual(['ok', 'ok', 'quota', 'quota']);
  expect(results[2]).toMatchObject({ error: { scope: 'call', retryAfterMs: 700 } });
});

it.each([
  ['a blocked account', failure({ class: 'quota', scope: 'lane' })],
  ['refused credentials', failure({ class: 'credentials', scope: 'call' })],
])('sends nothing more after %s', async (_case, error) => {
  let calls = 0;
  const updateBatch = ({ records }: BatchUpdate) => {
    calls += 1;
    return Promise.resolve(records.map(() => ({ ok: false, error: calls === 1 ? refused : error }) as const));
  };
  const { results } = await perform({ updateBatch }, 8);
  expect(calls).toBe(2);
  expect(results.every((result) => !result.ok && result.error === error)).toBe(true);
});

it('sends nothing more when the lease has run out', async () => {
  const { provider, written, calls } = refusingFor(new Set(['r3']));
  let sends = 0;
  const mayStillSend = () => (sends += 1) <= 2;
  const { results } = await perform(provider, 4, { hold: { ...hold, mayStillSend } });
  expect(calls()).toBe(2);
  expect(written).toEqual(['r0', 'r1']);
  expect(results.map((result) => (result.ok ? 'ok' : result.error.class))).toEqual([
    'ok',
    'ok',
    'unavailable',
    'unavailable',
  ]);
});

// The commonest mistake stands in every record of its caller: it must not cost the account's quota.
it('leaves out at once what the provider names', async () => {
  const sent: number[] = [];
  const updateBatch = ({ records }: BatchUpdate) => {
    sent.push(records.length);
    const isBad = records.some(({ fields }) => 'nosuch' in fields);
    const error = { ...refused, refusedFields: ['nosuch'] };
    return Promise.resolve(
      records.map(({ recordId }): RecordResult => (isBad ? { ok: false, error } : { ok: true, recordId })),
    );
  };
  const records = Array.from({ length: 100 }, (_, index) =>
    sendable({ index, ...(index % 2 === 0 ? {} : { write: { fields: { nosuch: 1 } } }) }),
  );
  const { results } = await perform({ updateBatch }, 0, { records });
  expect(sent).toEqual([100, 50]);
  expect(results.map((result) => result.ok)).toEqual(records.map(({ index }) => index % 2 === 0));
  expect(results[1]).toMatchObject({ error: { class: 'rejected', scope: 'record' } });
});
