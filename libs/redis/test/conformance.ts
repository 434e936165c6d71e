import { randomUUID } from 'node:crypto';
import type { CacheAndQuotas, QuotaRequest } from '../src/cache-and-quotas';

/** What an implementation brings to the suite. */
export interface HintsHarness {
  /** Hints that share what they know with all others of the harness; answering when this returns. */
  open(): Promise<CacheAndQuotas>;
  dispose(): Promise<void>;
}

/** The contract of `Hints`. Keys and buckets are new for each test, so a store may be shared with other tests. */
export function describeHints(name: string, makeHarness: () => Promise<HintsHarness>): void {
  describe(`${name}: redis conformance`, () => {
    let harness: HintsHarness;
    let one: CacheAndQuotas;
    let other: CacheAndQuotas;

    beforeAll(async () => {
      harness = await makeHarness();
      one = await harness.open();
      other = await harness.open();
    });
    afterAll(() => harness.dispose());

    describe('cache', () => {
      it.each([
        ['text', 'value'],
        ['nothing', ''],
        ['JSON with accents', JSON.stringify({ name: 'Ångström "Ü" 株式会社', n: [1, null] })],
        ['200 kB', 'x'.repeat(200_000)],
      ])('gives another user of the store what was set: %s', async (_, value) => {
        const key = randomUUID();
        await one.cache.set(key, value, 60_000);
        expect(await other.cache.get(key)).toBe(value);
      });

      it('knows nothing of a key that was not set', async () => {
        expect(await one.cache.get(randomUUID())).toBeUndefined();
      });

      it('gives the values of many keys in their order, and knows which were not set', async () => {
        const [first, second, unknown] = [randomUUID(), randomUUID(), randomUUID()];
        await one.cache.set(first, 'first', 60_000);
        await one.cache.set(second, '', 60_000);
        expect(await other.cache.getMany([second, unknown, first, second])).toEqual(['', undefined, 'first', '']);
        expect(await other.cache.getMany([])).toEqual([]);
      });

      it('gives the last value that was set', async () => {
        const key = randomUUID();
        await one.cache.set(key, 'first', 60_000);
        await one.cache.set(key, 'second', 60_000);
        expect(await one.cache.get(key)).toBe('second');
      });

      it('forgets a value after its time', async () => {
        const key = randomUUID();
        await one.cache.set(key, 'value', 60);
        expect(await one.cache.get(key)).toBe('value');
        await eventually(async () => (await one.cache.get(key)) === undefined);
      });
    });

    describe('quotas', () => {
      const hubspot: QuotaRequest = { limit: 110, windowMs: 10_000, reserve: 0 };

      it('grants the whole limit at once, then nothing, whoever asks', async () => {
        const bucket = randomUUID();
        const takes = Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).quotas.take(bucket, hubspot));
        const answers = await Promise.all(takes);
        expect(answers.filter(({ granted }) => granted)).toHaveLength(110);
        for (const { granted, retryAfterMs } of answers) expect(retryAfterMs > 0).toBe(!granted);
      });

      it('shows what was granted in the window, by whomever, and takes nothing', async () => {
        const [bucket, untouched] = [randomUUID(), randomUUID()];
        const windows = [bucket, untouched].map((each) => ({ bucket: each, windowMs: 10_000 }));
        await one.quotas.take(bucket, { ...hubspot, cost: 7 });
        await other.quotas.take(bucket, hubspot);
        for (const redis of [one, other]) expect(await redis.quotas.used(windows)).toEqual([8, 0]);
        expect(await one.quotas.used([])).toEqual([]);
        const gone = { bucket, windowMs: 50 };
        await one.quotas.take(bucket, { limit: 5, windowMs: 50 });
        await eventually(async () => (await other.quotas.used([gone]))[0] === 0);
      });

      it('keeps a fifth for synchronous calls unless another share is asked for', async () => {
        const bucket = randomUUID();
        const count = async (request: Partial<QuotaRequest>) => {
          const asked = { limit: 10, windowMs: 10_000, ...request };
          const answers = await Promise.all(Array.from({ length: 20 }, () => one.quotas.take(bucket, asked)));
          return answers.filter(({ granted }) => granted).length;
        };
        expect(await count({ reserve: 0.5 })).toBe(5);
        expect(await count({})).toBe(3);
        expect(await count({ priority: 'synchronous' })).toBe(2);
      });

      it('takes several calls at once or none', async () => {
        const bucket = randomUUID();
        const take = (cost: number) => one.quotas.take(bucket, { limit: 10, windowMs: 10_000, reserve: 0, cost });
        expect((await take(7)).granted).toBe(true);
        expect((await take(4)).granted).toBe(false);
        expect((await take(3)).granted).toBe(true);
      });

      it('grants the whole of the limit to a request for more than that', async () => {
        const bucket = randomUUID();
        const request = { limit: 10, windowMs: 10_000, reserve: 0 };
        expect((await one.quotas.take(bucket, { ...request, cost: 25 })).granted).toBe(true);
        expect((await one.quotas.take(bucket, request)).granted).toBe(false);
      });

      it('keeps buckets apart', async () => {
        const request = { limit: 1, windowMs: 10_000 };
        const answers = await Promise.all(
          [randomUUID(), randomUUID()].map((bucket) => one.quotas.take(bucket, request)),
        );
        expect(answers.map(({ granted }) => granted)).toEqual([true, true]);
      });

      it('grants nothing of a limit of nothing', async () => {
        const answer = await one.quotas.take(randomUUID(), { limit: 0, windowMs: 10_000 });
        expect(answer.granted).toBe(false);
        expect(answer.retryAfterMs).toBeGreaterThan(0);
      });

      it('says when to come back, neither before nor long after it is worth it', async () => {
        const bucket = randomUUID();
        const request = { limit: 2, windowMs: 400, reserve: 0 };
        await one.quotas.take(bucket, { ...request, cost: 2 });
        const refused = await one.quotas.take(bucket, request);
        const refusedAt = performance.now();
        expect(refused.retryAfterMs).toBeLessThanOrEqual(400 + 2 * (400 / 32) + 1);
        await eventually(() => performance.now() - refusedAt > refused.retryAfterMs);
        expect((await other.quotas.take(bucket, request)).granted).toBe(true);
      });

      it('grants again what was given back', async () => {
        const bucket = randomUUID();
        const takes = () =>
          Promise.all(Array.from({ length: 12 }, () => one.quotas.take(bucket, { ...hubspot, limit: 10 })));
        const answers = await takes();
        expect(answers.filter(({ granted }) => granted)).toHaveLength(10);
        for (const { giveBack } of answers.slice(0, 4)) giveBack?.();
        await eventually(async () => (await one.quotas.used([{ bucket, windowMs: 10_000 }]))[0] === 6);
        expect((await takes()).filter(({ granted }) => granted)).toHaveLength(4);
      });

      it('grants nothing of what a provider refuses, whoever asks, until it is over', async () => {
        const bucket = randomUUID();
        const request = { limit: 5, windowMs: 1_000, priority: 'synchronous' } as const;
        await one.quotas.take(bucket, request);
        await one.quotas.exhaust(bucket, request, 600);
        const refused = await other.quotas.take(bucket, request);
        expect(refused).toMatchObject({ granted: false });
        expect(refused.retryAfterMs).toBeGreaterThan(400);
        expect(refused.retryAfterMs).toBeLessThanOrEqual(600 + 2 * (1_000 / 32));
        await eventually(async () => (await other.quotas.take(bucket, request)).granted);
        // Longer than its window.
        await one.quotas.exhaust(bucket, request, 5_000);
        expect((await other.quotas.take(bucket, request)).retryAfterMs).toBeGreaterThan(4_000);
      });

      // The provider counts a rolling window: a limit per fixed interval lets twice as many through around its edge.
      it.each([
        ['one by one', { limit: 20, windowMs: 300, reserve: 0 }],
        ['in blocks', { limit: 60, windowMs: 600, reserve: 0, isLeasable: true }],
      ])('never grants more than the limit in any window, and goes on granting: %s', async (_, request) => {
        const bucket = randomUUID();
        const grants: Grant[] = [];
        const user = async (redis: CacheAndQuotas, everyMs: number) => {
          // Five windows' worth: how long that takes is the machine's.
          while (grants.length < 5 * request.limit) {
            const askedMs = performance.now();
            const { granted } = await redis.quotas.take(bucket, request);
            if (granted) grants.push({ askedMs, givenMs: performance.now() });
            await new Promise((resolve) => setTimeout(resolve, everyMs));
          }
        };
        await Promise.all([user(one, 1), user(other, 3), user(one, 7)]);
        expect(mostInOneWindow(grants, request.windowMs)).toBeLessThanOrEqual(request.limit);
      });
    });

    it('answers that it is healthy', async () => {
      expect(await one.healthy()).toBe(true);
    });

    it('still answers after it was closed', async () => {
      const closed = await harness.open();
      await closed.close();
      expect(await closed.cache.get(randomUUID())).toBeUndefined();
      await closed.cache.set(randomUUID(), 'value', 1_000);
      expect((await closed.quotas.take(randomUUID(), { limit: 10, windowMs: 1_000 })).granted).toBe(true);
    });
  });
}

/** Longest wait, in milliseconds: it ends what hangs. */
const boundMs = 60_000;

/** Test support: waits until `check` holds. */
export async function eventually(check: () => boolean | Promise<boolean>, everyMs = 5): Promise<void> {
  const end = performance.now() + boundMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`did not happen within ${boundMs} ms: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** A grant with the moments between which it was given. */
export interface Grant {
  readonly askedMs: number;
  readonly givenMs: number;
}

/** Most grants that certainly lie in one window, however long each answer travelled. */
function mostInOneWindow(grants: readonly Grant[], windowMs: number): number {
  const inOrder = grants.toSorted((one, other) => one.askedMs - other.askedMs);
  return Math.max(
    0,
    ...inOrder.map(
      ({ askedMs }) => inOrder.filter((g) => g.askedMs >= askedMs && g.givenMs < askedMs + windowMs).length,
    ),
  );
}
