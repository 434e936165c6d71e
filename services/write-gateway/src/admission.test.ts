import type { BacklogOf } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { Admission, type AskedRoom, type BacklogLimits } from './admission';

/** Writes that wait, by project and group; each has 10 bytes. */
let waiting: Map<string, Map<string, number>>;
let asked: BacklogOf[][];
let isAway: boolean;
let countMs: number;
let admission: Admission;
let lines: string[];

const bytesPerWrite = 10;
const sizeOf = (writes: number) => ({ writes, bytes: writes * bytesPerWrite });
const sum = (groups: ReadonlyMap<string, number>) => [...groups.values()].reduce((all, one) => all + one, 0);
const wait = (projectId: string, writes: number, groupRef = 'g') =>
  waiting.set(projectId, new Map(waiting.get(projectId)).set(groupRef, writes));

function start(limits: Partial<BacklogLimits> = {}): void {
  const countBacklog = async (of: readonly BacklogOf[]) => {
    asked.push([...of]);
    await new Promise((done) => setTimeout(done, countMs));
    if (isAway) throw new Error('away');
    return new Map(
      of.map(({ projectId, groupRefs }) => {
        const held = waiting.get(projectId) ?? new Map<string, number>();
        const groups = new Map(groupRefs.map((ref) => [ref, sizeOf(held.get(ref) ?? 0)]));
        return [projectId, { ...sizeOf(sum(held)), groups }];
      }),
    );
  };
  admission = new Admission({
    writes: { countBacklog },
    limits: { backlogMax: 100, backlogBytesMax: 1_000_000, backlogGroupPercent: 100, ...limits },
    logger: { ...silentLogger, warn: (_fields, event) => void lines.push(event) },
    metrics: createMetrics('test'),
  });
}

beforeEach(() => {
  jest.useFakeTimers();
  [waiting, asked, isAway, countMs, lines] = [new Map(), [], false, 0, []];
  start();
});
afterEach(async () => {
  await admission.stop();
  jest.useRealTimers();
});

const refusal = (ask: Partial<AskedRoom> = {}): string | undefined => {
  try {
    admission.assertRoom({ projectId: 'a', groupRef: 'g', writes: 1, bytes: 1, ...ask });
    return undefined;
  } catch (error) {
    return (error as { detail: string }).detail;
  }
};
const isFull = (projectId: string, writes = 1) => refusal({ projectId, writes }) !== undefined;
const nextCount = () => jest.advanceTimersByTimeAsync(2_010);

describe('[sec-38] Admission', () => {
  it('adds what was let in to the last count, until the next one', async () => {
    expect(isFull('a', 60)).toBe(false);
    expect(isFull('a', 41)).toBe(true);
    expect(isFull('a', 40)).toBe(false);
    expect(isFull('a')).toBe(true);
    wait('a', 30);
    await nextCount();
    expect(isFull('a', 70)).toBe(false);
    expect(isFull('a')).toBe(true);
    expect(isFull('b', 100)).toBe(false);
  });

  it('keeps what was let in while the count was under way', async () => {
    countMs = 50;
    expect(isFull('a', 10)).toBe(false);
    await nextCount();
    expect(isFull('a', 90)).toBe(false);
    wait('a', 10);
    await jest.advanceTimersByTimeAsync(50);
    expect(isFull('a')).toBe(true);
  });

  it('counts what is written to, and drops it a minute later unless it is full', async () => {
    expect(isFull('quiet')).toBe(false);
    expect(isFull('full', 99)).toBe(false);
    expect(refusal({ projectId: 'full', groupRef: 'idle' })).toBeUndefined();
    wait('full', 100);
    await nextCount();
    expect(asked.at(-1)).toEqual([
      { projectId: 'quiet', groupRefs: ['g'] },
      { projectId: 'full', groupRefs: ['g', 'idle'] },
    ]);
    wait('full', 99, 'g');
    wait('full', 1, 'idle');
    await jest.advanceTimersByTimeAsync(62_000);
    expect(asked.at(-1)?.map(({ projectId }) => projectId)).toEqual(['full']);
    expect(isFull('full')).toBe(true);
  });

  it('logs one line when it is full, and one when it has room', async () => {
    expect(isFull('a', 99)).toBe(false);
    for (const writes of [100, 100, 100, 50, 50]) {
      wait('a', writes);
      await nextCount();
    }
    // The project, and its only group.
    expect(lines).toEqual(['backlog.full', 'backlog.full', 'backlog.has-room', 'backlog.has-room']);
  });

  it('holds on to the last count while the database is away', async () => {
    expect(isFull('a', 100)).toBe(false);
    wait('a', 100);
    await nextCount();
    isAway = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(isFull('a')).toBe(true);
  });

  it('rests twenty times as long as a long count took', async () => {
    expect(isFull('a')).toBe(false);
    countMs = 1_000;
    await jest.advanceTimersByTimeAsync(2_000 + 1_000 + 19_000);
    expect(asked).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1_100);
    expect(asked).toHaveLength(2);
    await jest.advanceTimersByTimeAsync(1_000);
  });
});

describe('[sec-38] the share of a group', () => {
  const take = (groupRef: string, writes = 1) => refusal({ groupRef, ...sizeOf(writes) }) === undefined;
  /** Takes single writes until one is refused. @returns how many it got */
  const fill = (groupRef: string): number => {
    let taken = 0;
    while (take(groupRef)) taken += 1;
    return taken;
  };

  it.each([
    [100, 100],
    [80, 80],
    [50, 50],
    [1, 1],
  ])('at %d per cent is %d of 100 for a group alone', (backlogGroupPercent, share) => {
    start({ backlogGroupPercent });
    expect(fill('alone')).toBe(share);
  });

  it('leaves capacity for the next group, as long as there is any', () => {
    start({ backlogGroupPercent: 80 });
    const taken = Array.from({ length: 8 }, (_, at) => fill(`group-${at}`));
    expect(taken).toEqual([80, 16, 4, 0, 0, 0, 0, 0]);
  });

  it('comes to equal parts among groups that are always hungry, whoever was first', async () => {
    start({ backlogGroupPercent: 80, backlogMax: 1_000 });
    const held = new Map([
      ['first', fill('first')],
      ['second', 0],
      ['third', 0],
    ]);
    expect(held.get('first')).toBe(800);
    waiting.set('a', held);
    for (let turn = 0; turn < 60; turn += 1) {
      for (const [ref, writes] of held) held.set(ref, Math.max(0, writes - 30));
      await nextCount();
      // One each in turns, as long as one of them gets something.
      for (let got = 1; got > 0;) {
        const lucky = [...held.keys()].filter((ref) => take(ref));
        for (const ref of lucky) held.set(ref, (held.get(ref) ?? 0) + 1);
        got = lucky.length;
      }
      expect(sum(held)).toBeLessThanOrEqual(1_000);
    }
    // Each may have 80 % of what the other two leave: 0.8 / 2.6 of the whole.
    for (const writes of held.values()) expect(Math.abs(writes - 308)).toBeLessThan(10);
  });

  // A pseudo-random walk: groups of any number take and release; a group that holds nothing is admitted while there is capacity.
  it.each([1, 2, 3])('never passes the whole, and never shuts out a group that has nothing (%d)', async (seed) => {
    start({ backlogGroupPercent: 80 });
    let state = seed;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const held = new Map<string, number>();
    waiting.set('a', held);
    for (let turn = 0; turn < 300; turn += 1) {
      const [ref, writes] = [`group-${random(12)}`, 1 + random(15)];
      if (take(ref, writes)) held.set(ref, (held.get(ref) ?? 0) + writes);
      expect(sum(held)).toBeLessThanOrEqual(100);
      if (turn % 7 === 0) {
        for (const [name, count] of held) held.set(name, Math.max(0, count - random(4)));
        await nextCount();
      }
      const newcomer = `new-${turn}`;
      const free = 100 - sum(held);
      expect(take(newcomer)).toBe(free > 0);
      if (free > 0) held.set(newcomer, 1);
    }
  });

  it('counts bytes as well as writes', async () => {
    start({ backlogGroupPercent: 80, backlogBytesMax: 1_000 });
    expect(refusal({ bytes: 800 })).toBeUndefined();
    expect(refusal({ bytes: 1 })).toMatch(
      /^About 800 bytes of the group "g" wait, and 800 may: 80 % \(SLUICE_BACKLOG_GROUP_PERCENT\) of what .* leave of 1000 \(SLUICE_BACKLOG_BYTES_MAX\); this request has 1\. Nothing was accepted\.$/,
    );
    expect(refusal({ groupRef: 'other', bytes: 160 })).toBeUndefined();
    expect(refusal({ groupRef: 'third', bytes: 41 })).toMatch(/^About 960 bytes of the project wait, and 1000 may/);
    waiting.set('a', new Map([['g', 1]]));
    await nextCount();
    expect(refusal({ bytes: 790 })).toBeUndefined();
  });
});
