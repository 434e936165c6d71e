import { getHeapStatistics } from 'node:v8';

/**
 * Bytes that a process holds at once for one purpose. What callers and providers send is bounded one by one; this bounds it together,
 * so that many at once wait instead of filling the memory. One owner gets half of the budget at most, or one piece.
 */
export interface ByteBudget {
  /**
   * Waits for room, those first whose owners hold the least. More than the whole budget waits until it is all free, and goes alone.
   * What is taken is given back when `held` ends; who has ended waits no longer.
   * @param untilMs of `performance.now()`: how long it may wait
   * @returns false when there was no room in time, too many wait already, or `held` has ended
   */
  take(bytes: number, untilMs: number, held: HeldBytes): Promise<boolean>;
  /** The same without waiting. */
  takeNow(bytes: number, held: HeldBytes): boolean;
  /** Somebody waits for whom there would be no room whoever he was: more work would only wait behind him. */
  isShort(): boolean;
}

/** What one request, call or reply has taken of budgets, given back together when it ends. */
export class HeldBytes {
  private readonly acts = new Set<() => void>();
  private isEnded = false;
  private latest: HeldBytes | undefined;

  /** @param owner whose share of each budget it counts in; absent: nobody's, and such may have all of it */
  constructor(readonly owner?: string) {}

  get hasEnded(): boolean {
    return this.isEnded;
  }

  /** Calls `act` once when it ends; at once when it has. @returns takes that back */
  onEnd(act: () => void): () => void {
    if (this.isEnded) act();
    else this.acts.add(act);
    return () => this.acts.delete(act);
  }

  /** Ends the one before, and this one with the whole: of replies that follow each other only the latest is in use. */
  replace(next?: HeldBytes): void {
    this.latest?.end();
    this.latest = next;
    next?.onEnd(this.onEnd(() => next.end()));
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const act of this.acts) act();
    this.acts.clear();
  }
}

interface Waiting {
  readonly bytes: number;
  readonly owner: string | undefined;
  readonly enter: () => void;
}

/** What waits holds a connection and what its socket has buffered, about 64 kB. */
const waitingMax = 1_024;

export function createByteBudget(totalBytes: number): ByteBudget {
  const queue = new Set<Waiting>();
  const heldBy = new Map<string, number>();
  let used = 0;
  const heldOf = (owner: string | undefined): number => (owner === undefined ? 0 : (heldBy.get(owner) ?? 0));
  const hasRoom = (bytes: number): boolean => used + bytes <= totalBytes;
  const hasShare = (bytes: number, owner: string | undefined): boolean => {
    const own = heldOf(owner);
    return own === 0 || own + bytes <= totalBytes / 2;
  };
  const count = (bytes: number, owner: string | undefined): void => {
    used += bytes;
    if (owner === undefined) return;
    const left = heldOf(owner) + bytes;
    if (left === 0) heldBy.delete(owner);
    else heldBy.set(owner, left);
  };
  const enter = (bytes: number, held: HeldBytes): void => {
    count(bytes, held.owner);
    held.onEnd(() => {
      count(-bytes, held.owner);
      admitNext();
    });
  };
  const admitNext = (): void => {
    if (queue.size === 0) return;
    // Where owners hold the same, those who came first: sorting is stable. The first one that lacks room for itself holds up the others, or
    // a large piece would never come in; one whose owner has his half does not.
    for (const next of [...queue].toSorted((one, other) => heldOf(one.owner) - heldOf(other.owner))) {
      if (!hasRoom(next.bytes)) return;
      if (hasShare(next.bytes, next.owner)) next.enter();
    }
  };
  const isShort = (): boolean => [...queue].some(({ bytes }) => !hasRoom(bytes));
  const takeNow: ByteBudget['takeNow'] = (asked, held) => {
    const bytes = clamp(asked, totalBytes);
    if (held.hasEnded || isShort() || !hasRoom(bytes) || !hasShare(bytes, held.owner)) return false;
    enter(bytes, held);
    return true;
  };
  const waitIn = (bytes: number, untilMs: number, held: HeldBytes): Promise<boolean> =>
    new Promise((settle) => {
      const leave = (isAdmitted: boolean): void => {
        queue.delete(waiting);
        clearTimeout(timer);
        stopListening();
        settle(isAdmitted);
      };
      const giveUp = (): void => {
        leave(false);
        // It may have stood before smaller ones that fit.
        admitNext();
      };
      const admitted = (): void => {
        leave(true);
        enter(bytes, held);
      };
      const waiting: Waiting = { bytes, owner: held.owner, enter: admitted };
      const timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()));
      const stopListening = held.onEnd(giveUp);
      queue.add(waiting);
    });
  return {
    takeNow,
    take: (asked, untilMs, held) => {
      if (takeNow(asked, held)) return Promise.resolve(true);
      if (held.hasEnded || queue.size >= waitingMax) return Promise.resolve(false);
      return waitIn(clamp(asked, totalBytes), untilMs, held);
    },
    isShort,
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
