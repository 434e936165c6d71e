import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { topics } from '@sluice/messaging';
import { until } from '@sluice/testkit';

/** Every message of our topics from the start of the tap on, as it lies in Kafka: our own consumer would decode it first. */
export interface KafkaTap {
  /** Waits until everything that was written is read. */
  text(): Promise<string>;
  close(): Promise<void>;
}

interface Offset {
  readonly partition: number;
  readonly low: string;
  readonly high: string;
}

interface KafkaClient {
  admin(): {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    fetchTopicOffsets(topic: string): Promise<Offset[]>;
  };
  consumer(options: { groupId: string }): {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    subscribe(options: { topics: string[]; fromBeginning: boolean }): Promise<void>;
    run(options: { eachMessage(given: Message): Promise<void> }): Promise<void>;
  };
}

interface Message {
  readonly topic: string;
  readonly partition: number;
  readonly message: { key: Buffer | null; value: Buffer | null; headers?: object; offset: string };
}

export async function startKafkaTap(brokers: readonly string[]): Promise<KafkaTap> {
  // Only libs/messaging depends on the driver; this borrows it to see what it wrote.
  const load = createRequire(require.resolve('@sluice/messaging'));
  const { Kafka } = load('kafkajs') as { Kafka: new (options: object) => KafkaClient };
  const kafka = new Kafka({ brokers, clientId: 'canary', logLevel: 0 });
  const [admin, consumer] = [kafka.admin(), kafka.consumer({ groupId: `canary-${randomUUID()}` })];
  await Promise.all([admin.connect(), consumer.connect()]);
  const names = Object.values(topics).map(({ name }) => name);
  const texts: string[] = [];
  const read = new Map<string, bigint>();
  await consumer.subscribe({ topics: names, fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message: { key, value, headers, offset } }) => {
      texts.push(`${key?.toString('latin1')} ${value?.toString('latin1')} ${JSON.stringify(headers)}`);
      read.set(`${topic}/${partition}`, BigInt(offset) + 1n);
      return Promise.resolve();
    },
  });
  const isRead = async (): Promise<true | undefined> => {
    for (const topic of names) {
      // What the broker has forgotten by now cannot be read: a partition of an old broker begins at its low mark.
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        if (BigInt(high) > (read.get(`${topic}/${partition}`) ?? BigInt(low))) return undefined;
      }
    }
    return true;
  };
  return {
    text: async () => {
      await until('every message is read', isRead, 120_000);
      return texts.join('\n');
    },
    close: async () => void (await Promise.all([consumer.disconnect(), admin.disconnect()])),
  };
}
