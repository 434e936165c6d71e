import type { Messaging, MessagingOptions } from './messaging';
import type { IncomingMessage } from './partition-delivery';
import { MessagingPipeline, type Broker, type DeliveryOf, type Member } from './pipeline';
import { topics, type Topic } from './topics';

export interface InProcessMessagingOptions extends MessagingOptions {
  /** Shared by the services that exchange messages. */
  readonly hub: InProcessHub;
}

/** Messaging for services that share a process: no broker, no network, nothing survives the process. */
export function createInProcessMessaging(options: InProcessMessagingOptions): Messaging {
  return new MessagingPipeline(options, hubBroker(options.hub));
}

const topicsByName: ReadonlyMap<string, Topic> = new Map(Object.values(topics).map((topic) => [topic.name, topic]));

function hubBroker(hub: InProcessHub): Broker {
  let isOpen = true;
  return {
    openTransport: () => ({
      isUp: () => isOpen,
      send: async (messages) => {
        for (const { topic, key, value } of messages) {
          const known = topicsByName.get(topic);
          if (known) hub.append(known, key, value);
        }
      },
    }),
    join: ({ topic, group }, deliveryOf) => hub.group(topic, group).join(deliveryOf),
    createTopics: async () => {},
    answers: async () => isOpen,
    check: async () => undefined,
    close: async () => {
      isOpen = false;
    },
  };
}

/** The broker of the services of one process, which share one hub. Made by `createInProcessHub`. */
export class InProcessHub {
  private readonly topics = new Map<string, { partitions: HubPartition[]; groups: Map<string, HubGroup> }>();

  append(topic: Topic, key: string, value: string): void {
    const { partitions, groups } = this.topicOf(topic);
    const index = partitionOf(key, partitions.length);
    const partition = partitions[index];
    if (!partition) return;
    partition.append(value);
    for (const group of groups.values()) group.wake(index);
    // Without a group it is kept for the first one, as a broker does.
    const positions = [...groups.values()].map((group) => group.position(index));
    if (positions.length > 0) partition.trim(Math.min(...positions));
  }

  group(topic: Topic, name: string): HubGroup {
    const { partitions, groups } = this.topicOf(topic);
    const group = groups.get(name) ?? new HubGroup(partitions);
    groups.set(name, group);
    return group;
  }

  private topicOf(topic: Topic) {
    const known = this.topics.get(topic.name);
    if (known) return known;
    const partitions = Array.from({ length: topic.partitions }, () => new HubPartition());
    const made = { partitions, groups: new Map<string, HubGroup>() };
    this.topics.set(topic.name, made);
    return made;
  }
}

/** A hub for `createInProcessMessaging`: one per embedded stack. */
export function createInProcessHub(): InProcessHub {
  return new InProcessHub();
}

/** Equal keys get equal partitions; FNV-1a spreads the others. */
function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % partitions;
}

/**
 * One group's reading of one topic. Invariant: each partition has at most one reader, and a partition changes hands
 * only between two handler calls (drain before revoke).
 */
class HubGroup {
  /** One per consumer, by what delivers to it. */
  private members: DeliveryOf[] = [];
  private readonly positions: number[];
  private readonly reading = new Map<number, { owner: DeliveryOf; done: Promise<void> }>();
  private readonly timers = new Map<number, NodeJS.Timeout>();

  constructor(private readonly partitions: readonly HubPartition[]) {
    this.positions = partitions.map(({ start }) => start);
  }

  join(deliveryOf: DeliveryOf): Member {
    this.members = [...this.members, deliveryOf];
    for (const partition of this.partitions.keys()) this.wake(partition);
    return { isJoined: true, progress: async () => this.progressOf(deliveryOf), leave: () => this.leave(deliveryOf) };
  }

  /** Resolves when the handler calls that the member had in flight have ended; others read on at once. */
  private async leave(member: DeliveryOf): Promise<void> {
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

  private progressOf(member: DeliveryOf) {
    const owned = this.partitions.map((_, index) => index).filter((index) => this.ownerOf(index) === member);
    return owned.map((partition) => ({
      partition,
      lag: (this.partitions[partition]?.end ?? 0) - this.position(partition),
      mark: `${this.position(partition)}:${member(partition).ended}`,
    }));
  }

  private read(partition: number, owner: DeliveryOf): Promise<number | undefined> {
    const messages = this.partitions[partition]?.read(this.position(partition), 100) ?? [];
    return owner(partition).deliver(messages, {
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

  private ownerOf(partition: number): DeliveryOf | undefined {
    return this.members[partition % Math.max(1, this.members.length)];
  }

  private hasMore(partition: number): boolean {
    return (this.partitions[partition]?.end ?? 0) > this.position(partition);
  }

  private clearTimers(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}

/** About 5,000 announcements; a group that falls further behind loses the oldest, as with a broker's retention. */
const charsMax = 2_000_000;

/** Messages of one partition, with the offsets they would have on a broker. */
export class HubPartition {
  private entries: string[] = [];
  private first = 0;
  private chars = 0;

  /** Offset the next message will get. */
  get end(): number {
    return this.first + this.entries.length;
  }

  /** Offset of the oldest message that is kept. */
  get start(): number {
    return this.first;
  }

  append(value: string): void {
    this.entries.push(value);
    this.chars += value.length;
    let excess = 0;
    while (this.chars > charsMax && excess < this.entries.length - 1) this.chars -= this.entries[excess++]?.length ?? 0;
    this.forget(excess);
  }

  /** At most `count` messages from `offset` on. */
  read(offset: number, count: number): IncomingMessage[] {
    const from = Math.max(0, offset - this.first);
    return this.entries
      .slice(from, from + count)
      .map((value, index) => ({ offset: String(this.first + from + index), value }));
  }

  /** Drops what every group has finished. */
  trim(before: number): void {
    const count = Math.min(Math.max(0, before - this.first), this.entries.length);
    // Not for every message: taking one from the front of an array moves all the others.
    if (count < 256 && count < this.entries.length) return;
    for (let index = 0; index < count; index += 1) this.chars -= this.entries[index]?.length ?? 0;
    this.forget(count);
  }

  private forget(count: number): void {
    if (count === 0) return;
    this.entries = this.entries.slice(count);
    this.first += count;
  }
}
