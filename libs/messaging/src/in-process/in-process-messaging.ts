import type { WriteAnnouncement } from '@sluice/types';
import { AnnouncementBuffer } from '../announcement-buffer';
import type { Consumer, ConsumeOptions, Messaging, MessagingOptions, Transport } from '../messaging';
import { messagingCounters, type MessagingCounters } from '../messaging-counters';
import { PartitionDelivery } from '../partition-delivery';
import type { Topic } from '../topics';
import { startWatchdog } from '../watchdog';
import { within } from '../within';
import type { InProcessHub } from './hub';
import type { HubMember } from './hub-group';

export interface InProcessMessagingOptions extends MessagingOptions {
  /** Shared by the services that are to hear each other. */
  readonly hub: InProcessHub;
}

/** Messaging for services that share a process: no broker, no network, nothing survives the process. */
export function createInProcessMessaging(options: InProcessMessagingOptions): Messaging {
  return new InProcessMessaging(options);
}

class InProcessMessaging implements Messaging {
  private readonly counters: MessagingCounters;
  private readonly topics = new Map<string, Topic>();
  private readonly buffer: AnnouncementBuffer;
  private readonly consumers = new Set<Consumer>();
  private isClosed = false;

  constructor(private readonly options: InProcessMessagingOptions) {
    this.counters = messagingCounters(options.metrics);
    this.buffer = new AnnouncementBuffer({ ...options, counters: this.counters, transport: this.transport() });
  }

  announcer(topic: Topic) {
    this.topics.set(topic.name, topic);
    return {
      announce: (key: string, write: WriteAnnouncement, withinMs?: number) =>
        this.buffer.add(topic.name, key, write, withinMs),
      flush: () => this.buffer.flush(),
    };
  }

  async consume({ topic, group, handle }: ConsumeOptions): Promise<Consumer> {
    const { logger, hub } = this.options;
    const deliveries = new Map<number, PartitionDelivery>();
    const deliveryOf = (partition: number) => {
      const known = deliveries.get(partition);
      const found =
        known ?? new PartitionDelivery({ topic: topic.name, partition, handle, logger, counters: this.counters });
      if (!known) deliveries.set(partition, found);
      return found;
    };
    const consumer = this.member(topic, group, { deliveryOf });
    hub.group(topic, group).join(consumer.member);
    this.consumers.add(consumer);
    return consumer;
  }

  async createTopics(): Promise<void> {}

  async healthy(): Promise<boolean> {
    return !this.isClosed;
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumers].map((consumer) => consumer.stop()));
    await this.buffer.close(2_000);
    this.isClosed = true;
  }

  private member(topic: Topic, group: string, member: HubMember): Consumer & { member: HubMember } {
    const hubGroup = this.options.hub.group(topic, group);
    const endWatchdog = startWatchdog({
      topic: topic.name,
      group,
      stallMs: this.options.watchdogMs ?? 30_000,
      look: async () => hubGroup.progressOf(member),
      onStall: this.options.onStall,
      logger: this.options.logger,
      counters: this.counters,
    });
    let stopped: Promise<void> | undefined;
    const leave = async () => {
      endWatchdog();
      await within(8_000, hubGroup.leave(member));
    };
    return { member, stop: () => (stopped ??= leave()) };
  }

  private transport(): Transport {
    return {
      isUp: () => !this.isClosed,
      send: async (messages) => {
        for (const { topic, key, value } of messages) {
          const known = this.topics.get(topic);
          if (known) this.options.hub.append(known, key, value);
        }
      },
    };
  }
}
