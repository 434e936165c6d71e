import { SluiceError } from '@sluice/errors';
import { outsideSteps } from '@sluice/telemetry';

interface CoalesceOptions<Item, Result> {
  /** Does many items at once and returns results in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items of one run at most. */
  readonly itemsMax: number;
  /** Runs at the same time at most. */
  readonly runsMax: number;
  /** While one run is in progress, another one starts with no fewer items than this. @default 1 */
  readonly itemsMin?: number;
  /**
   * How long a run waits for more items while several come together, in milliseconds: a statement costs much the same for any number. Beside a run
   * that is in progress, longer (`recentMs`). @default 0
   */
  readonly gatherMs?: number;
  /** Size of one item, in bytes or any other unit. @default 0 */
  readonly weightOf?: (item: Item) => number;
  /** Weight of one run at most; a heavier item runs alone. */
  readonly weightMax?: number;
  /** Two items of one key never share a run. Undefined: the item has none. */
  readonly keyOf?: (item: Item) => string | undefined;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Items and runs of a coalescer. A caller takes a preset, and overrides only what was measured for it. */
type Preset = Pick<CoalesceOptions<never, never>, 'itemsMax' | 'runsMax' | 'itemsMin' | 'gatherMs' | 'weightMax'>;

/**
 * What commits a request before its reply: an accept, a join. One statement commits while the next one fills. A second statement costs Postgres as
 * much as sixteen more rows (1 ms, and 0.06 ms a row). It costs this process as much as fifty (0.5 ms, and 0.01 ms a row; two busy cores). So with fewer
 * than 48 items it waits for the first one. A join takes no less CPU without that minimum. The weight is in bytes.
 */
export const groupCommit = { itemsMax: 128, runsMax: 2, itemsMin: 48, weightMax: 1_000_000 } satisfies Preset;

/**
 * The statements of a call: opening, load, intent, settlement. They wait 1 ms for others. With 16 callers a synchronous create then has 0.32 commits
 * in place of 0.48 and costs the gateway 17 % less and Postgres 26 % less; the median of a reply stays. Two milliseconds save a little more and cost
 * the median 3 ms. Loads and intents are as fast with or without it (in turns, two busy cores, 2026-11-27, before `recentMs`). The weight is in bytes.
 */
export const sharedStatement = { itemsMax: 64, runsMax: 2, gatherMs: 1, weightMax: 1_000_000 } satisfies Preset;

/**
 * A read by key, which waits for others as `sharedStatement` does. One statement at a time: with two, each has half as many rows and costs a search
 * 12 % more of Postgres (ab, 150 customers, 16 callers).
 */
export const sharedRead = { itemsMax: 100, runsMax: 1, gatherMs: 1 } satisfies Preset;

/** With `gatherMs`: a run that ended longer ago says nothing about who comes now, and one that takes longer is stuck and waited for no more. */
const recentMs = 20;

/**
 * Group commit: items that arrive during a run share the next one; an idle coalescer runs at once.
 * With `gatherMs`, a run that follows one of several items waits so long for more; one that follows a single item, or comes 20 ms later, does not.
 * A run that fails because of one item is repeated item by item, so that one cannot fail its neighbours.
 */
export function coalesce<Item, Result>(options: CoalesceOptions<Item, Result>): (item: Item) => Promise<Result> {
  const { itemsMax, runsMax, itemsMin = 1, gatherMs = 0 } = options;
  let queue: Waiting<Item, Result>[] = [];
  let running = 0;
  /** Items of the latest run. */
  let latest = 0;
  let endedAtMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const start = (): void => {
    clearTimeout(timer);
    while (running < runsMax && queue.length >= (running === 0 ? 1 : itemsMin)) {
      const taken = takeFirst(queue, options);
      queue = queue.slice(taken.length);
      running += 1;
      latest = taken.length;
      void runTogether(options.run, taken).finally(() => {
        running -= 1;
        endedAtMs = performance.now();
        startOrGather();
      });
    }
  };
  const startOrGather = (): void => {
    const isAlone = running === 0 && (latest < 2 || performance.now() - endedAtMs > recentMs);
    if (gatherMs === 0 || isAlone || queue.length >= itemsMax) return start();
    clearTimeout(timer);
    if (queue.length > 0) timer = setTimeout(start, running === 0 ? gatherMs : recentMs);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      // Requests of one turn of the event loop share a run, which belongs to none of their steps.
      if (queue.length === 1 || queue.length === itemsMin) outsideSteps(() => setImmediate(startOrGather));
    });
}

function takeFirst<Item, Result>(
  queue: readonly Waiting<Item, Result>[],
  { itemsMax, weightOf = () => 0, weightMax = Infinity, keyOf = () => undefined }: CoalesceOptions<Item, Result>,
): Waiting<Item, Result>[] {
  let weight = 0;
  const first = queue.slice(0, itemsMax);
  const keys = new Set<string>();
  const isRepeated = (key: string | undefined): boolean => {
    if (key === undefined) return false;
    const isKnown = keys.has(key);
    keys.add(key);
    return isKnown;
  };
  const end = first.findIndex(
    ({ item }, at) => isRepeated(keyOf(item)) || ((weight += weightOf(item)) > weightMax && at > 0),
  );
  return end === -1 ? first : first.slice(0, end);
}

async function runTogether<Item, Result>(
  run: CoalesceOptions<Item, Result>['run'],
  waiting: readonly Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(waiting.map(({ item }) => item));
    for (const [at, { resolve }] of waiting.entries()) resolve(results[at] as Result);
  } catch (error) {
    if (waiting.length === 1 || (error instanceof SluiceError && error.retry === 'backoff')) {
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const each of waiting) await runTogether(run, [each]);
  }
}

/**
 * A read by key of which requests and calls of one moment share a statement. Nothing is cached, and a read begins after it was requested, so it sees
 * every earlier change.
 * @param read throws only `SluiceError`s: a database that does not answer fails all at once
 */
export function shareReads<Key, Found>(
  read: (keys: readonly Key[]) => Promise<readonly Found[]>,
): (key: Key) => Promise<Found> {
  return coalesce<Key, Found>({ ...sharedRead, run: read });
}
