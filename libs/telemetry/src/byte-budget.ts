import { getHeapStatistics } from 'node:v8';

/** Gives room back. Once; a second call has no effect. */
export type Release = () => void;

/**
 * Bytes that a process holds at once for one purpose. What callers and providers send is bounded one by one; this bounds it together,
 * so that many at once wait instead of filling the memory.
 */
export interface ByteBudget {
  /**
   * Waits for room, those first who hold the least. More than the whole budget waits until it is all free, and goes alone.
   * @param untilMs of `performance.now()`: how long it may wait
   * @param owner one owner gets half of the budget at most, or one piece; absent: all of it
   * @returns undefined when there was no room in time, or too many wait already
   */
  take(bytes: number, untilMs: number, owner?: string): Promise<Release | undefined>;
  /** The same without waiting. */
  takeNow(bytes: number, owner?: string): Release | undefined;
  /** Somebody waits: more work would only wait behind it. */
  isShort(): boolean;
}

interface Waiting {
  readonly bytes: number;
  readonly owner: string | undefined;
  readonly admit: (release: Release | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/** What waits holds a connection and what its socket has buffered, about 64 kB. */
const waitingMax = 1_024;

export function createByteBudget(totalBytes: number): ByteBudget {
  const queue = new Set<Waiting>();
  const heldBy = new Map<string, number>();
  let used = 0;
  const held = (owner: string | undefined): number => (owner === undefined ? 0 : (heldBy.get(owner) ?? 0));
  const fits = (bytes: number, owner: string | undefined): boolean => {
    const own = held(owner);
    return used + bytes <= totalBytes && (own === 0 || own + bytes <= totalBytes / 2);
  };
  const count = (bytes: number, owner: string | undefined): void => {
    used += bytes;
    if (owner === undefined) return;
    const left = held(owner) + bytes;
    if (left === 0) heldBy.delete(owner);
    else heldBy.set(owner, left);
  };
  const enter = (bytes: number, owner: string | undefined): Release => {
    count(bytes, owner);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(-bytes, owner);
      admitNext();
    };
  };
  const admitNext = (): void => {
    if (queue.size === 0) return;
    // Where owners hold the same, those who came first: sorting is stable. The first one that lacks room for itself holds up the others, or
    // a large piece would never come in; one whose owner has his half does not.
    for (const next of [...queue].toSorted((one, other) => held(one.owner) - held(other.owner))) {
      if (!fits(next.bytes, next.owner)) {
        if (used + next.bytes > totalBytes) return;
        continue;
      }
      queue.delete(next);
      clearTimeout(next.timer);
      next.admit(enter(next.bytes, next.owner));
    }
  };
  const takeNow: ByteBudget['takeNow'] = (asked, owner) => {
    const bytes = clamp(asked, totalBytes);
    return queue.size === 0 && fits(bytes, owner) ? enter(bytes, owner) : undefined;
  };
  return {
    takeNow,
    take: (asked, untilMs, owner) => {
      const release = takeNow(asked, owner);
      if (release !== undefined || queue.size >= waitingMax) return Promise.resolve(release);
      return new Promise((admit) => {
        const giveUp = (): void => {
          queue.delete(waiting);
          admit(undefined);
          // It may have stood before smaller ones that fit.
          admitNext();
        };
        const timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()));
        const waiting: Waiting = { bytes: clamp(asked, totalBytes), owner, admit, timer };
        queue.add(waiting);
        admitNext();
      });
    },
    isShort: () => queue.size > 0,
  };
}

function clamp(bytes: number, totalBytes: number): number {
  return Math.min(Math.max(0, bytes), totalBytes);
}

/**
 * A part of the heap's limit, in bytes. So a process that is given more memory takes more at once, and nobody sets it: Node reads the limit of a
 * container, or `--max-old-space-size`.
 */
export function heapShare(divisor: number): number {
  return Math.floor(getHeapStatistics().heap_size_limit / divisor);
}

/** What one request or call has taken of budgets, given back together when it ends. */
export class HeldBytes {
  private releases: Release[] = [];
  private hasEnded = false;

  add(release: Release): void {
    if (this.hasEnded) release();
    else this.releases.push(release);
  }

  end(): void {
    this.hasEnded = true;
    for (const release of this.releases) release();
    this.releases = [];
  }
}
