import { DependencyError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import { Partitioners, type Message, type Producer } from 'kafkajs';
import { backoffMs } from '../backoff';
import type { OutgoingMessage, Transport } from '../messaging';
import { within } from '../within';
import type { NewKafka } from './kafka-client';

const reconnect = { baseMs: 200, capMs: 2_000 };

interface ProducerLinkOptions {
  readonly newKafka: NewKafka;
  readonly logger: Logger;
  readonly prefix: string;
}

/** A producer that is rebuilt, in the background and with a backoff, whenever a send fails. Down until it connects. */
export class ProducerLink implements Transport {
  private producer: Producer | undefined;
  private timer: NodeJS.Timeout | undefined;
  private connecting: Promise<void> | undefined;
  private failures = 0;
  private isClosed = false;

  constructor(private readonly options: ProducerLinkOptions) {
    this.connect();
  }

  isUp(): boolean {
    return this.producer !== undefined;
  }

  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    const { producer } = this;
    if (!producer) throw this.unavailable(undefined);
    try {
      // The leader's word is enough: a message that is lost with the leader costs latency only.
      await producer.sendBatch({ acks: 1, timeout: 3_000, topicMessages: this.byTopic(messages) });
      this.failures = 0;
    } catch (error) {
      this.replace(producer);
      throw this.unavailable(error);
    }
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
    const grouped = new Map<string, Message[]>();
    for (const { topic, key, value } of messages) {
      const name = `${this.options.prefix}${topic}`;
      const known = grouped.get(name) ?? [];
      known.push({ key, value });
      grouped.set(name, known);
    }
    return [...grouped].map(([topic, ofTopic]) => ({ topic, messages: ofTopic }));
  }

  private unavailable(cause: unknown): DependencyError {
    return new DependencyError({ code: 'service.unavailable', detail: 'Kafka did not take the messages.', cause });
  }
}
