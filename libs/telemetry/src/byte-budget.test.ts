import { ByteBudget, HeldBytes, type Owners } from './byte-budget';

const soon = () => performance.now() + 60_000;
let others = 0;
/** Without a name it is another owner each time. */
const of = (owner = `other-${(others += 1)}`) => new HeldBytes(owner);

describe('a budget of bytes', () => {
  it('admits what fits and lets the rest wait, in turn', async () => {
    const budget = new ByteBudget(10);
    const admitted: string[] = [];
    const first = of();
    await budget.take(6, soon(), first);
    const big = budget.take(8, soon(), of()).then(() => admitted.push('big'));
    const small = budget.take(1, soon(), of()).then(() => admitted.push('small'));
    expect(budget.isShort()).toBe(true);
    expect(budget.takeNow(1, of())).toBe(false);
    await Promise.resolve();
    expect(admitted).toEqual([]);
    first.end();
    await Promise.all([big, small]);
    expect(admitted).toEqual(['big', 'small']);
    expect(budget.isShort()).toBe(false);
  });

  it('lets more than all of it go alone', async () => {
    const budget = new ByteBudget(10);
    const huge = of();
    await budget.take(1_000, soon(), huge);
    const next = budget.take(1, soon(), of());
    expect(budget.isShort()).toBe(true);
    huge.end();
    expect(await next).toBe(true);
  });

  it('says no to what waited too long, and then admits who stood behind it', async () => {
    const budget = new ByteBudget(10);
    await budget.take(6, soon(), of());
    const late = budget.take(8, performance.now() + 20, of());
    const behind = budget.take(4, soon(), of());
    expect(await late).toBe(false);
    expect(await behind).toBe(true);
  });

  // Who opens a request for megabytes and leaves must not hold up the others for as long as he could have waited.
  it('who has left waits no longer, and gets nothing', async () => {
    const budget = new ByteBudget(10);
    const first = of();
    await budget.take(6, soon(), first);
    const leaver = of();
    const late = budget.take(8, soon(), leaver);
    const behind = budget.take(4, soon(), of());
    leaver.end();
    expect(await late).toBe(false);
    expect(await behind).toBe(true);
    first.end();
    expect(await budget.take(1, soon(), leaver)).toBe(false);
    expect(budget.takeNow(1, leaver)).toBe(false);
    expect(budget.takeNow(6, of())).toBe(true);
  });

  it('takes room back once, however often it is given', async () => {
    const budget = new ByteBudget(10);
    const held = of();
    await budget.take(5, soon(), held);
    await budget.take(5, soon(), of());
    held.end();
    held.end();
    expect(await budget.take(5, soon(), of())).toBe(true);
    expect(await budget.take(1, performance.now(), of())).toBe(false);
  });

  it('gives one owner half of it, and others the rest', async () => {
    const budget = new ByteBudget(10);
    const first = of('a');
    await budget.take(3, soon(), first);
    const second = budget.take(3, soon(), of('a'));
    expect(budget.takeNow(3, of('a'))).toBe(false);
    // There is room for b: that a waits for a share of his own is nobody else's concern.
    expect(budget.isShort()).toBe(false);
    expect(budget.takeNow(3, of('b'))).toBe(true);
    first.end();
    expect(await second).toBe(true);
  });

  it('lets one owner have more than half in one piece', async () => {
    const budget = new ByteBudget(10);
    expect(await budget.take(8, soon(), of('a'))).toBe(true);
    expect(budget.takeNow(3, of('b'))).toBe(false);
  });

  it('admits those first who hold the least', async () => {
    const budget = new ByteBudget(20);
    await budget.take(2, soon(), of('a'));
    const all = of();
    await budget.take(18, soon(), all);
    const admitted: string[] = [];
    const wait = (owner: string) => budget.take(3, soon(), of(owner)).then(() => admitted.push(owner));
    const waiting = [wait('a'), wait('b')];
    all.end();
    await Promise.all(waiting);
    expect(admitted).toEqual(['b', 'a']);
  });
});

// Whatever the sizes, however they come, wait, leave or are too late: what is held together is never more than the bound, and what an owner holds
// in several pieces never more than half of it. Only a piece that has more by itself is admitted, and then it is alone.
it.each(Array.from({ length: 25 }, (_, at) => at + 1))(
  'a budget never admits more than its bound (seed %i)',
  async (seed) => {
    let state = seed * 7_919;
    const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    const total = 1 + next(1_000_000);
    const budget = new ByteBudget(total);
    const admitted = new Map<HeldBytes, { readonly bytes: number; readonly owner: string }>();
    const assertAtMost = (most: number, held: readonly { readonly bytes: number }[]): void => {
      const sum = held.reduce((all, { bytes }) => all + bytes, 0);
      if (held.length > 1 && sum > most) throw new Error(`${sum} bytes are held of ${most}`);
    };
    const check = (): void => {
      const held = [...admitted].filter(([{ hasEnded }]) => !hasEnded).map(([, piece]) => piece);
      assertAtMost(total, held);
      for (const owned of Map.groupBy(held, ({ owner }) => owner).entries()) {
        assertAtMost(total / 2, owned[1]);
      }
    };
    const pending = new Set<Promise<void>>();
    const all: HeldBytes[] = [];
    for (let step = 0; step < 300; step += 1) {
      // Small and large ones, a third of them larger than half of it, some larger than all of it.
      const bytes = next([total / 100 + 2, total / 2 + 2, total + 1, 3 * total][next(4)] ?? 0) | 0;
      const owner = `owner-${next(5)}`;
      const held = new HeldBytes(owner);
      all.push(held);
      const admit = (isAdmitted: boolean): void => {
        if (!isAdmitted) return;
        admitted.set(held, { bytes, owner });
        check();
      };
      if (next(3) === 0) admit(budget.takeNow(bytes, held));
      else {
        const waits = budget.take(bytes, performance.now() + ([0, 1, 60_000][next(3)] ?? 0), held).then(admit);
        pending.add(waits.finally(() => pending.delete(waits)));
      }
      // One that is held ends, or one that waits leaves.
      if (next(2) === 0) all.splice(next(all.length), 1)[0]?.end();
      if (next(10) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await Promise.resolve();
      check();
    }
    for (const held of all) {
      held.end();
      await Promise.resolve();
      check();
    }
    await Promise.all(pending);
    expect(admitted.size).toBeGreaterThan(20);
    expect(budget.takeNow(total, of())).toBe(true);
  },
);

describe('[sec-28] the shares of owners', () => {
  /** Takes pieces until one is refused. */
  const fill = (budget: ByteBudget, piece: number, ...owners: Owners): HeldBytes[] => {
    const taken: HeldBytes[] = [];
    for (;;) {
      const held = new HeldBytes(...owners);
      if (!budget.takeNow(piece, held)) return taken;
      taken.push(held);
    }
  };

  it.each([1, 2, 3, 5, 9])('%i owners whose pieces come and go have about as much each as is left free', (owners) => {
    const budget = new ByteBudget(1_000);
    const held = Array.from({ length: owners }, (): HeldBytes[] => []);
    for (let round = 0; round < 4_000; round += 1) {
      const at = round % owners;
      const piece = of(`owner-${at}`);
      if (budget.takeNow(1, piece)) held[at]?.push(piece);
      // One of each that has more than its share ends from time to time.
      if (round > 2_000 && round % 7 === 0)
        held
          .toSorted((a, b) => b.length - a.length)[0]
          ?.shift()
          ?.end();
    }
    for (const { length } of held) expect(Math.abs(length - 1_000 / (owners + 1))).toBeLessThan(20 + 100 / owners);
  });

  // A piece is a third of all: two owners have one each, and a third one still gets one.
  it('an owner that holds nothing has a claim, before those who hold something and want more', async () => {
    const budget = new ByteBudget(10);
    const [first] = fill(budget, 4, 'a');
    const [ofFirst, ofSecond] = [of('a'), of('b')];
    const more = budget.take(4, soon(), ofFirst);
    expect(budget.isShort()).toBe(false);
    expect(fill(budget, 4, 'b')).toHaveLength(1);
    const newcomer = budget.take(4, soon(), of('c'));
    expect(budget.isShort()).toBe(true);
    const later = budget.take(1, soon(), ofSecond);
    first?.end();
    expect(await newcomer).toBe(true);
    expect(await Promise.race([more, later, Promise.resolve('waits')])).toBe('waits');
    ofFirst.end();
    ofSecond.end();
  });

  it('an owner that holds nothing has its turn, however many requests of another wait', async () => {
    const budget = new ByteBudget(10);
    const all = of('a');
    await budget.take(10, soon(), all);
    const waiting = Array.from({ length: 1_024 }, () => of('a'));
    const crowd = waiting.map((held) => budget.take(1, soon(), held));
    expect(await budget.take(1, soon(), of('a'))).toBe(false);
    const other = budget.take(8, soon(), of('b'));
    all.end();
    expect(await other).toBe(true);
    for (const held of waiting) held.end();
    expect((await Promise.all(crowd)).length).toBe(1_024);
  });

  it('what nobody uses gives way to an owner that holds nothing, and nothing else does', async () => {
    const budget = new ByteBudget(10);
    const pieces = ['a', 'b', 'b', 'c'].map((owner, at) => ({ held: of(owner), isUsed: at !== 1 }));
    for (const { held, isUsed } of pieces) {
      expect(budget.takeNow(2, held)).toBe(true);
      held.giveWay = () => {
        if (!isUsed) held.end();
      };
    }
    // What is read of a reply for it gives way with it.
    const within = of('d');
    expect(budget.takeNow(1, within)).toBe(true);
    pieces[1]?.held.replace(within);
    const ofHolder = budget.take(3, performance.now() + 700, of('a'));
    expect(await ofHolder).toBe(false);
    expect(pieces.map(({ held }) => held.hasEnded)).toEqual([false, false, false, false]);
    expect(await budget.take(4, soon(), of('e'))).toBe(true);
    expect(pieces.map(({ held }) => held.hasEnded)).toEqual([false, true, false, false]);
    expect(within.hasEnded).toBe(true);
  });

  it('however many owners there are within one, they share what it has', () => {
    const budget = new ByteBudget(1_000);
    expect(fill(budget, 1, 'tokens', 'group-1')).toHaveLength(250);
    const more = Array.from({ length: 500 }, (_, at) => fill(budget, 1, 'tokens', `other-${at}`));
    expect(more[0]).not.toHaveLength(0);
    expect(more.flat()).toHaveLength(250);
    expect(fill(budget, 1, 'backend')).toHaveLength(250);
  });
});

describe('what a request holds', () => {
  it('is given back when it ends, and what comes later at once', () => {
    const given: string[] = [];
    const held = of();
    held.onEnd(() => given.push('body'));
    const keep = held.onEnd(() => given.push('kept'));
    keep();
    expect(given).toEqual([]);
    held.end();
    held.onEnd(() => given.push('late'));
    held.end();
    expect(given).toEqual(['body', 'late']);
  });

  it('of things that follow each other only the latest is held', () => {
    const [held, first, second, late] = [of(), of(), of(), of()];
    held.replace(first);
    held.replace(second);
    expect([first.hasEnded, second.hasEnded]).toEqual([true, false]);
    held.end();
    expect(second.hasEnded).toBe(true);
    held.replace(late);
    expect(late.hasEnded).toBe(true);
  });
});
