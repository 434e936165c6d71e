import { createRequire } from 'node:module';

/** What a test does to a broker beside our services. */
export interface BrokerAdmin {
  deleteTopics(names: readonly string[]): Promise<void>;
  /** Sets a group that has no members back to the first message. */
  rewind(group: string, topic: string): Promise<void>;
  /** Joins a group and leaves it: its members share the partitions anew, twice. What it is given meanwhile it does not commit. */
  rebalance(group: string, topic: string): Promise<void>;
  close(): Promise<void>;
}

interface Admin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  deleteTopics(options: { topics: string[] }): Promise<void>;
  resetOffsets(options: { groupId: string; topic: string; earliest: boolean }): Promise<void>;
}

interface Consumer {
  on(event: 'consumer.group_join', heard: () => void): void;
  connect(): Promise<void>;
  subscribe(options: { topics: string[] }): Promise<void>;
  run(options: { autoCommit: boolean; eachMessage: () => Promise<void> }): Promise<void>;
  disconnect(): Promise<void>;
}

interface Driver {
  admin(): Admin;
  consumer(options: { groupId: string }): Consumer;
}

export async function openBrokerAdmin(brokers: string): Promise<BrokerAdmin> {
  // Only libs/messaging depends on the driver; this borrows it.
  const load = createRequire(require.resolve('@sluice/messaging'));
  const { Kafka } = load('kafkajs') as { Kafka: new (options: object) => Driver };
  const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'faults', logLevel: 0 });
  const admin = kafka.admin();
  await admin.connect();
  return {
    deleteTopics: (names) => admin.deleteTopics({ topics: [...names] }),
    rewind: (group, topic) => admin.resetOffsets({ groupId: group, topic, earliest: true }),
    rebalance: async (group, topic) => {
      const consumer = kafka.consumer({ groupId: group });
      const joined = new Promise<void>((resolve) => consumer.on('consumer.group_join', resolve));
      await consumer.connect();
      await consumer.subscribe({ topics: [topic] });
      await consumer.run({ autoCommit: false, eachMessage: () => Promise.resolve() });
      await joined;
      await consumer.disconnect();
    },
    close: () => admin.disconnect(),
  };
}
