import type { Fault } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import { AnnouncementBuffer } from './announcement-buffer';
import type { Consumer, ConsumeOptions, Messaging, MessagingOptions, Transport } from './messaging';
import { messagingCounters, type MessagingCounters } from './messaging-counters';
import { PartitionDelivery } from './partition-delivery';
import type { Announcer, Topic } from './topics';
import { within } from './waiting';
import { startWatchdog, type Progress } from './watchdog';

/** One consumer's membership of its group. */
export interface Member {
  readonly isJoined: boolean;
  /** Of the partitions that it answers for. Rejects while the broker is away. */
  progress(): Promise<Progress[]>;
  /** Resolves when the handlers in flight have ended, and the partitions are given up. Never rejects. */
  leave(): Promise<void>;
}

/** The delivery of a partition, always the same one: it outlives a reader of its partition. */
export type DeliveryOf = (partition: number) => PartitionDelivery;

/** What carries the messages: all that Kafka and the hub of one process do differently. */
export interface Broker {
  /** Called once, before the first announcement. */
  openTransport(): Transport;
  join(options: ConsumeOptions, deliveryOf: DeliveryOf): Member;
  createTopics(): Promise<void>;
  /** Whether it answers, within a second. */
  answers(): Promise<boolean>;
  /** What keeps messages from these topics, or it from answering where there are none. Never rejects. */
  check(announced: readonly string[]): Promise<Fault | undefined>;
  /** Disconnects, the transport too. Never rejects. */
  close(): Promise<void>;
}

/** A stop ends after this, whether the handlers in flight have ended or not. */
const drainMs = 8_000;
const flushMs = 2_000;

/** `Messaging` on any broker: announcements are gathered and sent, messages are delivered, consumers are watched. */
export class MessagingPipeline implements Messaging {
  private readonly counters: MessagingCounters;
  private readonly consumers = new Map<Consumer, Member>();
  private transport: Transport | undefined;
  private buffer: AnnouncementBuffer | undefined;
  private readonly announced = new Set<string>();
  private isClosed = false;

  constructor(
    private readonly options: MessagingOptions,
    private readonly broker: Broker,
  ) {
    this.counters = messagingCounters(options.metrics);
  }

  announcer({ name }: Topic): Announcer {
    const buffer = (this.buffer ??= this.openBuffer());
    this.announced.add(name);
    return {
      announce: (key: string, write: WriteAnnouncement, withinMs?: number) => buffer.add(name, key, write, withinMs),
      flush: () => buffer.flush(),
    };
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const { topic, group } = options;
    const { logger, onStall, watchdogMs: stallMs = 30_000 } = this.options;
    const member = this.broker.join(options, this.deliveries(options));
    const progress = () => member.progress();
    const watched = { topic: topic.name, group, progress, stallMs, onStall, logger, counters: this.counters };
    const endWatchdog = startWatchdog(watched);
    let stopped: Promise<void> | undefined;
    const consumer = { stop: () => (stopped ??= this.leave(consumer, options, endWatchdog)) };
    this.consumers.set(consumer, member);
    return consumer;
  }

  createTopics(): Promise<void> {
    return this.broker.createTopics();
  }

  async healthy(): Promise<boolean> {
    const isReady = !this.isClosed && (this.transport?.isUp() ?? true);
    if (!isReady || ![...this.consumers.values()].every(({ isJoined }) => isJoined)) return false;
    return this.broker.answers();
  }

  health(): Promise<Fault | undefined> {
    return this.broker.check([...this.announced]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumers.keys()].map((consumer) => consumer.stop()));
    await this.buffer?.close(flushMs);
    this.isClosed = true;
    await this.broker.close();
  }

  private openBuffer(): AnnouncementBuffer {
    this.transport = this.broker.openTransport();
    return new AnnouncementBuffer({ ...this.options, counters: this.counters, transport: this.transport });
  }

  private deliveries({ topic, handle }: ConsumeOptions): DeliveryOf {
    const { counters } = this;
    const { logger } = this.options;
    const deliveries = new Map<number, PartitionDelivery>();
    return (partition) => {
      const known = deliveries.get(partition);
      if (known) return known;
      const delivery = new PartitionDelivery({ topic: topic.name, partition, handle, logger, counters });
      deliveries.set(partition, delivery);
      return delivery;
    };
  }

  private async leave(
    consumer: Consumer,
    { topic, group }: ConsumeOptions,
    endWatchdog: () => Promise<void>,
  ): Promise<void> {
    void endWatchdog();
    const member = this.consumers.get(consumer);
    this.consumers.delete(consumer);
    if (member === undefined || (await within(drainMs, member.leave()))) return;
    this.options.logger.warn({ topic: topic.name, group, drainMs }, 'consumer.drain-timed-out');
  }
}
