import type { WriteAnnouncement } from '@sluice/types';
import type { ISocketFactory } from 'kafkajs';
import { AnnouncementBuffer } from '../announcement-buffer';
import type { Announcer, Consumer, ConsumeOptions, Messaging, MessagingOptions } from '../messaging';
import { messagingCounters, type MessagingCounters } from '../messaging-counters';
import { topics, type Topic } from '../topics';
import { startWatchdog } from '../watchdog';
import { within } from '../within';
import { BrokerAdmin } from './broker-admin';
import { ConsumerRunner } from './consumer-runner';
import { kafkaClients, type KafkaLogin, type NewKafka } from './kafka-client';
import { ProducerLink } from './producer-link';

export interface KafkaMessagingOptions extends MessagingOptions {
  /** `host:port` of one broker or more; the others are learned from it. */
  readonly brokers: readonly string[];
  /** Present: TLS; `ca` are PEM certificates to trust in place of the public authorities. */
  readonly tls?: { readonly ca?: string };
  /** Present: the client signs in. */
  readonly sasl?: KafkaLogin;
  /** Shown in the broker's log: the service's name. */
  readonly clientId: string;
  /** Put before every topic and group, so that stacks can share a cluster. @default '' */
  readonly prefix?: string;
  /** For tests: makes the network fail without touching the broker. */
  readonly socketFactory?: ISocketFactory;
}

/** Messaging on Apache Kafka. Connects in the background; nothing here needs the broker to be there. */
export function createKafkaMessaging(options: KafkaMessagingOptions): Messaging {
  return new KafkaMessaging(options);
}

class KafkaMessaging implements Messaging {
  private readonly newKafka: NewKafka;
  private readonly counters: MessagingCounters;
  private readonly prefix: string;
  private readonly admin: BrokerAdmin;
  private readonly runners = new Map<ConsumerRunner, () => void>();
  private link: ProducerLink | undefined;
  private buffer: AnnouncementBuffer | undefined;

  constructor(private readonly options: KafkaMessagingOptions) {
    this.newKafka = kafkaClients(options);
    this.counters = messagingCounters(options.metrics);
    this.prefix = options.prefix ?? '';
    this.admin = new BrokerAdmin(this.newKafka);
  }

  announcer(topic: Topic): Announcer {
    const buffer = (this.buffer ??= this.openBuffer());
    return {
      announce: (key: string, write: WriteAnnouncement) => buffer.add(topic.name, key, write),
      flush: () => buffer.flush(),
    };
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const { newKafka, admin, counters, prefix } = this;
    const runner = new ConsumerRunner({ ...options, newKafka, admin, counters, prefix, logger: this.options.logger });
    this.runners.set(runner, this.watch(runner, options));
    return { stop: () => this.stop(runner) };
  }

  createTopics(): Promise<void> {
    return this.admin.createTopics(Object.values(topics), this.prefix);
  }

  async healthy(): Promise<boolean> {
    const isLinked = this.link?.isUp() ?? true;
    if (!isLinked || ![...this.runners.keys()].every(({ isJoined }) => isJoined)) return false;
    let answered = false;
    const ping = this.admin.ping().then(() => (answered = true));
    await within(1_000, ping);
    return answered;
  }

  async close(): Promise<void> {
    await Promise.all([...this.runners.keys()].map((runner) => this.stop(runner)));
    await this.buffer?.close(2_000);
    await Promise.all([this.link?.close(), within(2_000, this.admin.close())]);
  }

  private stop(runner: ConsumerRunner): Promise<void> {
    this.runners.get(runner)?.();
    this.runners.delete(runner);
    return runner.stop();
  }

  private openBuffer(): AnnouncementBuffer {
    this.link = new ProducerLink({ newKafka: this.newKafka, logger: this.options.logger, prefix: this.prefix });
    return new AnnouncementBuffer({ ...this.options, counters: this.counters, transport: this.link });
  }

  private watch(runner: ConsumerRunner, { topic, group }: ConsumeOptions): () => void {
    return startWatchdog({
      topic: topic.name,
      group,
      stallMs: this.options.watchdogMs ?? 30_000,
      look: () => runner.progress(),
      onStall: this.options.onStall,
      logger: this.options.logger,
      counters: this.counters,
    });
  }
}
