import { createByteBudget, HeldBytes, type Release } from './byte-budget';

const soon = () => performance.now() + 60_000;

describe('a budget of bytes', () => {
  it('admits what fits and lets the rest wait, in turn', async () => {
    const budget = createByteBudget(10);
    const admitted: string[] = [];
    const first = await budget.take(6, soon());
    const big = budget.take(8, soon()).then((release) => (admitted.push('big'), release));
    const small = budget.take(1, soon()).then((release) => (admitted.push('small'), release));
    expect(budget.isShort()).toBe(true);
    expect(budget.takeNow(1)).toBeUndefined();
    await Promise.resolve();
    expect(admitted).toEqual([]);
    first?.();
    await Promise.all([big, small]);
    expect(admitted).toEqual(['big', 'small']);
    expect(budget.isShort()).toBe(false);
  });

  it('lets more than all of it go alone', async () => {
    const budget = createByteBudget(10);
    const huge = await budget.take(1_000, soon());
    const next = budget.take(1, soon());
    expect(budget.isShort()).toBe(true);
    huge?.();
    expect(await next).toBeDefined();
  });

  it('says no to what waited too long, and then admits who stood behind it', async () => {
    const budget = createByteBudget(10);
    const held = await budget.take(6, soon());
    const late = budget.take(8, performance.now() + 20);
    const behind = budget.take(4, soon());
    expect(await late).toBeUndefined();
    expect(await behind).toBeDefined();
    held?.();
  });

  it('takes room back once, however often it is given', async () => {
    const budget = createByteBudget(10);
    const release = await budget.take(5, soon());
    await budget.take(5, soon());
    release?.();
    release?.();
    expect(await budget.take(5, soon())).toBeDefined();
    expect(await budget.take(1, performance.now())).toBeUndefined();
  });

  it('gives one owner half of it, and others the rest', async () => {
    const budget = createByteBudget(10);
    const held = [await budget.take(3, soon(), 'a')];
    const second = budget.take(3, soon(), 'a');
    expect(budget.takeNow(3, 'a')).toBeUndefined();
    // Nobody else waits for b, whose place is free.
    held.push(await budget.take(3, soon(), 'b'));
    expect(budget.isShort()).toBe(true);
    held[0]?.();
    expect(await second).toBeDefined();
  });

  it('lets one owner have more than half in one piece', async () => {
    const budget = createByteBudget(10);
    expect(await budget.take(8, soon(), 'a')).toBeDefined();
    expect(budget.takeNow(3, 'b')).toBeUndefined();
  });

  it('admits those first who hold the least', async () => {
    const budget = createByteBudget(10);
    const first = await budget.take(2, soon(), 'a');
    const all = await budget.take(8, soon());
    const admitted: string[] = [];
    const wait = (owner: string) => budget.take(3, soon(), owner).then(() => admitted.push(owner));
    const waiting = [wait('a'), wait('b')];
    all?.();
    await Promise.all(waiting);
    expect(admitted).toEqual(['b', 'a']);
    first?.();
  });

  // Any order of taking and giving back: never more than all of it, never more than half for an owner with two pieces, and nobody is forgotten.
  it('keeps its bounds whatever happens', async () => {
    const budget = createByteBudget(100);
    const held = new Map<Release, { readonly owner: string; readonly bytes: number }>();
    let random = 7;
    const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
    const bounds = (): void => {
      const ofOwner = new Map<string, number[]>();
      for (const { owner, bytes } of held.values()) ofOwner.set(owner, [...(ofOwner.get(owner) ?? []), bytes]);
      const sum = (list: number[]): number => list.reduce((total, each) => total + each, 0);
      expect(sum([...ofOwner.values()].map(sum))).toBeLessThanOrEqual(100);
      const several = [...ofOwner.values()].filter((list) => list.length > 1);
      expect(Math.max(0, ...several.map(sum))).toBeLessThanOrEqual(50);
    };
    const waiting: Promise<void>[] = [];
    const giveOne = (): void => {
      const [release] = held.keys();
      if (release === undefined) return;
      held.delete(release);
      release();
    };
    for (let n = 0; n < 500; n += 1) {
      const [owner, bytes] = [`owner-${next(4)}`, 1 + next(60)];
      const enter = async (): Promise<void> => {
        const release = await budget.take(bytes, soon(), owner);
        if (release === undefined) throw new Error('refused');
        held.set(release, { owner, bytes });
        bounds();
      };
      waiting.push(enter());
      if (next(3) > 0) giveOne();
      await Promise.resolve();
    }
    while (budget.isShort() || held.size > 0) {
      giveOne();
      await Promise.resolve();
    }
    await Promise.all(waiting);
  });
});

it('what a request holds is given back when it ends, and what comes later at once', () => {
  const given: string[] = [];
  const held = new HeldBytes();
  held.add(() => given.push('body'));
  held.add(() => given.push('reply'));
  expect(given).toEqual([]);
  held.end();
  held.add(() => given.push('late'));
  held.end();
  expect(given).toEqual(['body', 'reply', 'late']);
});
