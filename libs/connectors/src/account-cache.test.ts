import { HeldBytes, heapShare } from '@sluice/telemetry';
import { createAccountCache } from './account-cache';

const of = (accessToken: string, workspaceRef = 'acme') => ({ auth: { accessToken, workspaceRef } });
let nowMs = 0;
let loads = 0;
const load = async () => ++loads;
const open = () => createAccountCache<number>(() => nowMs);

beforeEach(() => {
  nowMs = 0;
  loads = 0;
});

test('an answer is kept for a minute, per credential and key', async () => {
  const cache = open();
  expect(await cache.get(of('a'), 'contacts', load)).toBe(1);
  nowMs = 59_999;
  expect(await cache.get(of('a'), 'contacts', load)).toBe(1);
  expect(await cache.get(of('a'), 'deals', load)).toBe(2);
  expect(await cache.get(of('b'), 'contacts', load)).toBe(3);
  nowMs = 60_000;
  expect(await cache.get(of('a'), 'contacts', load)).toBe(4);
});

test('the same token at another workspace is another account', async () => {
  const cache = open();
  await cache.get(of('a', 'acme'), 'Account', load);
  expect(await cache.get(of('a', 'globex'), 'Account', load)).toBe(2);
});

test('who asks at the same time shares one load', async () => {
  const cache = open();
  expect(await Promise.all(Array.from({ length: 20 }, () => cache.get(of('a'), 'contacts', load)))).toEqual(
    Array.from({ length: 20 }, () => 1),
  );
});

test('a failure reaches everyone who waits, and is not kept', async () => {
  const cache = open();
  const fail = () => Promise.reject(new Error('down'));
  const asked = [cache.get(of('a'), 'contacts', fail), cache.get(of('a'), 'contacts', load)];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get(of('a'), 'contacts', load)).toBe(1);
});

test('200 answers at most; the one that was asked for longest ago goes', async () => {
  const cache = open();
  for (let at = 1; at <= 200; at++) await cache.get(of('a'), `object ${at}`, load);
  await cache.get(of('a'), 'object 1', load);
  await cache.get(of('a'), 'one more', load);
  expect(loads).toBe(201);
  await cache.get(of('a'), 'object 1', load);
  expect(loads).toBe(201);
  await cache.get(of('a'), 'object 2', load);
  expect(loads).toBe(202);
});

// A description may have 10 MB: two hundred of them would fill any process.
test('answers of a 24th of the heap at most, by their size; one that is larger is not kept', async () => {
  const sizes = createAccountCache<string>(() => nowMs);
  const characters = Math.floor(heapShare(24) / 2);
  const text = (share: number) => async () => (load(), 'x'.repeat(Math.floor(characters / share)));
  for (const key of ['a', 'b', 'c']) await sizes.get(of('a'), key, text(4));
  await sizes.get(of('a'), 'a', text(4));
  expect(loads).toBe(3);
  await sizes.get(of('a'), 'large', text(2));
  await sizes.get(of('a'), 'a', text(4));
  expect(loads).toBe(4);
  await sizes.get(of('a'), 'b', text(4));
  expect(loads).toBe(5);
  await sizes.get(of('a'), 'huge', text(0.5));
  await sizes.get(of('a'), 'huge', text(0.5));
  expect(loads).toBe(7);
});

// A reply of 10 MB becomes an object of 50 MB, which lasts for as long as a slow client reads it: five at once ended a process.
test('a large answer counts while it is in use, kept or not, and who finds no capacity in time is refused', async () => {
  jest.useFakeTimers();
  const cache = createAccountCache<string>(() => nowMs);
  const large = async () => (load(), 'x'.repeat(heapShare(24)));
  const inUse = new HeldBytes('one');
  await cache.get({ ...of('a'), describing: inUse }, 'contacts', large);
  const asked = cache.get({ ...of('b'), describing: new HeldBytes('other') }, 'contacts', large);
  const refused = asked.catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await refused).toMatchObject({ code: 'service.unavailable', retryAfterMs: 2_000 });
  // Small ones do not count.
  await cache.get({ ...of('b'), describing: new HeldBytes('other') }, 'deals', async () => 'small');
  const waiting = cache.get({ ...of('b'), describing: new HeldBytes('other') }, 'contacts', large);
  inUse.end();
  await expect(waiting).resolves.toHaveLength(heapShare(24));
  jest.useRealTimers();
});
