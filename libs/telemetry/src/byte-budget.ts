import { getHeapStatistics } from 'node:v8';

/**
 * Bytes that a process holds at once for one purpose. Each request and reply has its own limit; this limits them together, so that
 * many at once wait instead of filling the memory. One owner gets half of the budget at most, or one piece.
 */
export interface ByteBudget {
  /** All of it, in bytes. */
  readonly totalBytes: number;
  /**
   * Waits for capacity; owners who hold the least come first. A piece larger than the budget waits until all of it is free, and is alone then.
   * The bytes are released when `held` ends; a request that has ended stops waiting.
   * @param untilMs of `performance.now()`: how long it may wait
   * @returns false when there was no capacity in time, too many wait already, or `held` has ended
   */
  take(bytes: number, untilMs: number, held: HeldBytes): Promise<boolean>;
  /** The same without waiting. */
  takeNow(bytes: number, held: HeldBytes): boolean;
  /** Something waits that no owner could get now: more work would only wait behind it. */
  isShort(): boolean;
}

/** What one request, call or reply has taken of budgets, released together when it ends. */
export class HeldBytes {
  private readonly acts = new Set<() => void>();
  private isEnded = false;
  private latest: HeldBytes | undefined;

  /** @param owner whose share of each budget it counts towards; absent: nobody's, and it may take the whole budget */
  constructor(readonly owner?: string) {}

  get hasEnded(): boolean {
    return this.isEnded;
  }

  /** Calls `act` once when it ends; at once when it has ended. @returns removes `act` */
  onEnd(act: () => void): () => void {
    if (this.isEnded) act();
    else this.acts.add(act);
    return () => this.acts.delete(act);
  }

  /** Ends the previous one; `next` ends with this at the latest. Of replies that follow each other only the latest is in use. */
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

/** Each waiting request holds a connection and what its socket has buffered, about 64 kB. */
const waitingMax = 1_024;

export function createByteBudget(totalBytes: number): ByteBudget {
  const queue = new Set<Waiting>();
  const heldBy = new Map<string, number>();
  let used = 0;
  const heldOf = (owner: string | undefined): number => (owner === undefined ? 0 : (heldBy.get(owner) ?? 0));
  const hasCapacity = (bytes: number): boolean => used + bytes <= totalBytes;
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
    // Among owners who hold the same, first come first served: sorting is stable. The first one that does not fit blocks the others, or a
    // large piece would never be admitted; one whose owner has its half does not block.
    for (const next of [...queue].toSorted((one, other) => heldOf(one.owner) - heldOf(other.owner))) {
      if (!hasCapacity(next.bytes)) return;
      if (hasShare(next.bytes, next.owner)) next.enter();
    }
  };
  const isShort = (): boolean => [...queue].some(({ bytes }) => !hasCapacity(bytes));
  const takeNow: ByteBudget['takeNow'] = (wanted, held) => {
    const bytes = clamp(wanted, totalBytes);
    if (held.hasEnded || isShort() || !hasCapacity(bytes) || !hasShare(bytes, held.owner)) return false;
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
        // It may have blocked smaller ones that fit.
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
    totalBytes,
    takeNow,
    take: (wanted, untilMs, held) => {
      if (takeNow(wanted, held)) return Promise.resolve(true);
      if (held.hasEnded || queue.size >= waitingMax) return Promise.resolve(false);
      return waitIn(clamp(wanted, totalBytes), untilMs, held);
    },
    isShort,
  };
}

function clamp(bytes: number, totalBytes: number): number {
  return Math.min(Math.max(0, bytes), totalBytes);
}

/**
 * A part of the heap's limit, in bytes: a process that has more memory takes more at once, without a setting. Node reads the limit of a
 * container, or `--max-old-space-size`.
 */
export function heapShare(divisor: number): number {
  return Math.floor(getHeapStatistics().heap_size_limit / divisor);
}
