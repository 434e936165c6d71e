import { getHeapStatistics } from 'node:v8';

/** An owner, and the owners within it: who can make any number of these, such as the groups of a project, has one share for all of them. */
export type Owners = readonly [string, ...string[]];

/** What one request, call or reply has taken of budgets, released together when it ends. */
export class HeldBytes {
  private readonly acts = new Set<() => void>();
  private isEnded = false;
  private latest: HeldBytes | undefined;
  readonly owners: Owners;
  /** Ends it if its bytes are of no use, as those of a reply that nobody reads: called while an owner that holds nothing waits for them. */
  giveWay: (() => void) | undefined;

  /** @param owners in whose shares of each budget it counts */
  constructor(...owners: Owners) {
    this.owners = owners;
  }

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
    if (next !== undefined) this.adopt(next);
  }

  /** `part` ends with this at the latest, and gives way with it. */
  adopt(part: HeldBytes): HeldBytes {
    part.giveWay ??= () => this.giveWay?.();
    part.onEnd(this.onEnd(() => part.end()));
    return part;
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
  readonly owners: Owners;
  /** When it came its owner held nothing and waited for nothing: who sends many at once has no turn after each of them. */
  readonly isFirst: boolean;
  readonly enter: () => void;
}

/** Each waiting request holds a connection and what its socket has buffered, about 64 kB. */
const waitingMax = 1_024;
/** How often those are asked to give way whose bytes nobody uses. */
const giveWayEveryMs = 500;

/**
 * Bytes that a process holds at once for one purpose. Each request and reply has its own limit; this limits them together, so that
 * many at once wait instead of filling the memory.
 *
 * An owner that holds something may take more only while it then holds no more than is left free. So a single owner gets half, and each of n owners
 * about 1/(n+1). An owner that holds nothing gets one piece as soon as there is capacity for it. When it has waited for
 * some time, those are asked to give way whose bytes nobody uses, of the owner that holds the most first.
 */
export class ByteBudget {
  private readonly queue = new Set<Waiting>();
  private readonly holders = new Set<HeldBytes>();
  private readonly heldBy = new Map<string, number>();
  private used = 0;

  /** @param totalBytes all of it, in bytes */
  constructor(readonly totalBytes: number) {}

  /**
   * Waits for capacity; owners who hold the least come first. A piece larger than the budget waits until all of it is free, and is alone then.
   * The bytes are released when `held` ends; a request that has ended stops waiting.
   * @param untilMs of `performance.now()`: how long it may wait
   * @returns false when there was no capacity in time, too many wait already and one of its owner is among them, or `held` has ended
   */
  async take(wanted: number, untilMs: number, held: HeldBytes): Promise<boolean> {
    if (this.takeNow(wanted, held)) return true;
    // One owner that fills the queue takes nobody else's turn.
    if (held.hasEnded || (this.queue.size >= waitingMax && !this.isFirst(held.owners))) return false;
    return await this.wait(clamp(wanted, this.totalBytes), untilMs, held);
  }

  /** The same without waiting. */
  takeNow(wanted: number, held: HeldBytes): boolean {
    const bytes = clamp(wanted, this.totalBytes);
    if (held.hasEnded || this.isShort() || !this.mayTake(bytes, held.owners)) return false;
    this.enter(bytes, held);
    return true;
  }

  /** Something of an owner that holds nothing waits for capacity: more work would only wait behind it. */
  isShort(): boolean {
    return [...this.queue].some((waiting) => this.isBlocking(waiting));
  }

  private enter(bytes: number, held: HeldBytes): void {
    this.count(bytes, held.owners);
    this.holders.add(held);
    held.onEnd(() => {
      this.holders.delete(held);
      this.count(-bytes, held.owners);
      this.admitNext();
    });
  }

  private admitNext(): void {
    if (this.queue.size === 0) return;
    // Among owners who hold the same, first come first served: sorting is stable. The first one that holds nothing and does not fit blocks
    // the others, or a large piece would never be admitted.
    for (const next of [...this.queue].toSorted((one, other) => this.compareTurns(one, other))) {
      if (this.isBlocking(next)) return;
      if (this.mayTake(next.bytes, next.owners)) next.enter();
    }
  }

  private wait(bytes: number, untilMs: number, held: HeldBytes): Promise<boolean> {
    return new Promise((settle) => {
      const leave = (isAdmitted: boolean): void => {
        this.queue.delete(waiting);
        clearTimeout(timer);
        clearInterval(asking);
        stopListening();
        settle(isAdmitted);
      };
      const giveUp = (): void => {
        leave(false);
        // It may have blocked smaller ones that fit.
        this.admitNext();
      };
      const enter = (): void => {
        leave(true);
        this.enter(bytes, held);
      };
      const { owners } = held;
      const waiting: Waiting = { bytes, owners, isFirst: this.isFirst(owners), enter };
      const timer = setTimeout(giveUp, Math.max(0, untilMs - performance.now()));
      const asking = setInterval(() => this.askToGiveWay(waiting), giveWayEveryMs);
      const stopListening = held.onEnd(giveUp);
      this.queue.add(waiting);
    });
  }

  private askToGiveWay(waiting: Waiting): void {
    for (const held of [...this.holders].toSorted((one, other) => this.compareHeld(other.owners, one.owners))) {
      if (!this.queue.has(waiting) || !this.isBlocking(waiting)) return;
      held.giveWay?.();
    }
  }

  private isFirst([owner]: Owners): boolean {
    return this.heldOf(owner) === 0 && ![...this.queue].some(({ owners }) => owners[0] === owner);
  }

  private heldOf(owner: string): number {
    return this.heldBy.get(owner) ?? 0;
  }

  private hasCapacity(bytes: number): boolean {
    return this.used + bytes <= this.totalBytes;
  }

  private mayTake(bytes: number, owners: Owners): boolean {
    let free = this.totalBytes - this.used;
    const hasShares = owners.every((owner) => {
      const own = this.heldOf(owner);
      const isWithin = own === 0 || own + bytes <= free - bytes;
      // What this owner may still take is what those within it have free.
      free = (free - own) / 2;
      return isWithin;
    });
    return hasShares && this.hasCapacity(bytes);
  }

  private count(bytes: number, owners: Owners): void {
    this.used += bytes;
    for (const owner of owners) {
      const left = this.heldOf(owner) + bytes;
      if (left === 0) this.heldBy.delete(owner);
      else this.heldBy.set(owner, left);
    }
  }

  /** Of those who hold something none has a claim to what is not there. */
  private isBlocking({ bytes, owners }: Waiting): boolean {
    return !this.hasCapacity(bytes) && this.heldOf(owners[0]) === 0;
  }

  private compareHeld(one: Owners, other: Owners): number {
    const difference = this.heldOf(one[0]) - this.heldOf(other[0]);
    return difference || this.heldOf(one.at(-1) ?? '') - this.heldOf(other.at(-1) ?? '');
  }

  private compareTurns(one: Waiting, other: Waiting): number {
    const difference = this.heldOf(one.owners[0]) - this.heldOf(other.owners[0]);
    return difference || Number(other.isFirst) - Number(one.isFirst) || this.compareHeld(one.owners, other.owners);
  }
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
