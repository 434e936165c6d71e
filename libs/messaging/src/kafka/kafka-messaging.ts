import { randomUUID } from 'node:crypto';
import { Partitioners, type Producer } from 'kafkajs';
import { DependencyError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import type { Messaging, MessagingOptions, OutgoingMessage, Transport } from '../messaging';
import { messagingCounters } from '../messaging-counters';
import { MessagingPipeline, type Broker } from '../pipeline';
import { encodeMessage, topics } from '../topics';
import { backoffMs, within } from '../waiting';
import { BrokerAdmin } from './broker-admin';
import { ConsumerRunner } from './consumer-runner';
import { kafkaClients, type KafkaClientOptions, type NewKafka } from './kafka-client';
import { faultOf } from './refusals';

export interface KafkaMessagingOptions extends MessagingOptions, KafkaClientOptions {
  /** Put before every topic and group, so that stacks can share a cluster. @default '' */
  readonly prefix?: string;
}

/** Messaging on Apache Kafka. Connects in the background; nothing here needs the broker to be there. */
export function createKafkaMessaging(options: KafkaMessagingOptions): Messaging {
  return new MessagingPipeline(options, kafkaBroker(options));
}

function kafkaBroker(options: KafkaMessagingOptions): Broker {
  const { prefix = '', logger } = options;
  const newKafka = kafkaClients(options);
  const counters = messagingCounters(options.metrics);
  const admin = new BrokerAdmin(newKafka);
  let link: ProducerLink | undefined;
  return {
    openTransport: () => (link = new ProducerLink({ newKafka, logger, prefix })),
    join: (consumer, deliveryOf) =>
      new ConsumerRunner({ ...consumer, newKafka, admin, counters, prefix, logger, deliveryOf }),
    createTopics: () => admin.createTopics(Object.values(topics), prefix),
    answers: async () => {
      let hasAnswered = false;
      await within(
        1_000,
        admin.ping().then(() => (hasAnswered = true)),
      );
      return hasAnswered;
    },
    check: (announced) =>
      (link?.check(announced) ?? admin.ping()).then(
        () => undefined,
        (error: unknown) => faultOf((error as Error).cause ?? error),
      ),
    close: async () => {
      await Promise.all([link?.close(), within(2_000, admin.close())]);
    },
  };
}

/** How long a check waits for a producer that connects, in milliseconds. */
const connectedMs = 2_000;
const reconnect = { baseMs: 200, capMs: 2_000 };

interface ProducerLinkOptions {
  readonly newKafka: NewKafka;
  readonly logger: Logger;
  readonly prefix: string;
}

/** A producer that is rebuilt, in the background and with a backoff, whenever a send fails. Down until it connects. */
class ProducerLink implements Transport {
  private producer: Producer | undefined;
  private timer: NodeJS.Timeout | undefined;
  private connecting: Promise<void> | undefined;
  private failures = 0;
  /** Why it does not connect. */
  private lastError: unknown;
  private isClosed = false;

  constructor(private readonly options: ProducerLinkOptions) {
    this.connect();
  }

  isUp(): boolean {
    return this.producer !== undefined;
  }

  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    const { producer } = this;
    if (!producer) throw this.unavailable(this.lastError);
    try {
      // The leader's word is enough: a message that is lost with the leader costs latency only.
      await producer.sendBatch({ acks: 1, timeout: 3_000, topicMessages: this.byTopic(messages) });
      this.failures = 0;
    } catch (error) {
      this.replace(producer);
      throw this.unavailable(error);
    }
  }

  /** Sends an announcement of nothing to a partition of each topic. Rejects as `send` does. */
  async check(announced: readonly string[]): Promise<void> {
    if (this.connecting) await within(connectedMs, this.connecting);
    await this.send(announced.map((topic) => ({ topic, key: randomUUID(), value: encodeMessage([]), writes: 0 })));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.connecting;
    const { producer } = this;
    this.producer = undefined;
    if (producer) await within(2_000, producer.disconnect());
  }

  private connect(): void {
    this.connecting = this.open().finally(() => (this.connecting = undefined));
  }

  private async open(): Promise<void> {
    const producer = this.options.newKafka().producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      // Once, with fresh metadata, for a partition that moved to another leader.
      retry: { retries: 1 },
    });
    try {
      await producer.connect();
      if (!this.isClosed) this.producer = producer;
      else await producer.disconnect();
    } catch (error) {
      this.lastError = error;
      // The check of the health says it aloud.
      this.options.logger.debug({ error }, 'kafka.producer-connect-failed');
      this.retryLater();
    }
  }

  private replace(producer: Producer): void {
    if (this.producer !== producer) return;
    this.producer = undefined;
    producer.disconnect().catch(() => undefined);
    this.retryLater();
  }

  private retryLater(): void {
    if (this.isClosed) return;
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), backoffMs(reconnect, this.failures));
    this.timer.unref();
  }

  private byTopic(messages: readonly OutgoingMessage[]) {
    return [...Map.groupBy(messages, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
      topic: `${this.options.prefix}${topic}`,
      messages: ofTopic.map(({ key, value }) => ({ key, value })),
    }));
  }

  private unavailable(cause: unknown): DependencyError {
    return new DependencyError({ code: 'service.unavailable', detail: 'Kafka did not take the messages.', cause });
  }
}
