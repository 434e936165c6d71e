import type { PartitionDelivery } from '../partition-delivery';
import type { Progress } from '../watchdog';
import type { HubPartition } from './hub-partition';

/** One consumer of a group, with the handler calls it has under way. */
export interface HubMember {
  readonly deliveryOf: (partition: number) => PartitionDelivery;
}

/**
 * One group's reading of one topic. Invariant: each partition has at most one reader, and a partition changes hands
 * only between two handler calls (drain before revoke).
 */
export class HubGroup {
  private members: HubMember[] = [];
  private readonly positions: number[];
  private readonly reading = new Map<number, { owner: HubMember; done: Promise<void> }>();
  private readonly timers = new Map<number, NodeJS.Timeout>();

  constructor(private readonly partitions: readonly HubPartition[]) {
    this.positions = partitions.map(({ start }) => start);
  }

  join(member: HubMember): void {
    this.members = [...this.members, member];
    this.wakeAll();
  }

  /** Resolves when the handler calls the member had under way have ended; others read on at once. */
  async leave(member: HubMember): Promise<void> {
    this.members = this.members.filter((other) => other !== member);
    if (this.members.length === 0) this.clearTimers();
    const open = [...this.reading.values()].filter(({ owner }) => owner === member);
    await Promise.all(open.map(({ done }) => done));
  }

  position(partition: number): number {
    return Math.max(this.positions[partition] ?? 0, this.partitions[partition]?.start ?? 0);
  }

  /** Delivers from a later turn of the event loop, so that announcing never runs a handler. */
  wake(partition: number): void {
    if (this.reading.has(partition) || this.timers.has(partition)) return;
    const owner = this.ownerOf(partition);
    if (!owner || !this.hasMore(partition)) return;
    const done = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.read(partition, owner))
      .then((delayMs) => this.ended(partition, delayMs));
    this.reading.set(partition, { owner, done });
  }

  progressOf(member: HubMember): Progress[] {
    const owned = this.partitions.map((_, index) => index).filter((index) => this.ownerOf(index) === member);
    return owned.map((partition) => ({
      partition,
      lag: (this.partitions[partition]?.end ?? 0) - this.position(partition),
      mark: `${this.position(partition)}:${member.deliveryOf(partition).ended}`,
    }));
  }

  private read(partition: number, owner: HubMember): Promise<number | undefined> {
    const messages = this.partitions[partition]?.read(this.position(partition), 100) ?? [];
    return owner.deliveryOf(partition).deliver(messages, {
      isCurrent: () => this.ownerOf(partition) === owner,
      resolve: (offset) => {
        this.positions[partition] = Number(offset) + 1;
      },
    });
  }

  private ended(partition: number, delayMs: number | undefined): void {
    this.reading.delete(partition);
    if (delayMs === undefined || this.members.length === 0) return this.wake(partition);
    const timer = setTimeout(() => {
      this.timers.delete(partition);
      this.wake(partition);
    }, delayMs);
    this.timers.set(partition, timer);
  }

  private ownerOf(partition: number): HubMember | undefined {
    return this.members[partition % Math.max(1, this.members.length)];
  }

  private hasMore(partition: number): boolean {
    return (this.partitions[partition]?.end ?? 0) > this.position(partition);
  }

  private wakeAll(): void {
    for (const partition of this.partitions.keys()) this.wake(partition);
  }

  private clearTimers(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
