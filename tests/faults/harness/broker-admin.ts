import { createRequire } from 'node:module';

/** What a test does to a broker beside our services. */
export interface BrokerAdmin {
  deleteTopics(names: readonly string[]): Promise<void>;
  /** Sets a group that has no members back to the first message. */
  rewind(group: string, topic: string): Promise<void>;
  close(): Promise<void>;
}

interface Admin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  deleteTopics(options: { topics: string[] }): Promise<void>;
  resetOffsets(options: { groupId: string; topic: string; earliest: boolean }): Promise<void>;
}

export async function openBrokerAdmin(brokers: string): Promise<BrokerAdmin> {
  // Only libs/messaging depends on the driver; this borrows it.
  const load = createRequire(require.resolve('@sluice/messaging'));
  const { Kafka } = load('kafkajs') as { Kafka: new (options: object) => { admin(): Admin } };
  const admin = new Kafka({ brokers: brokers.split(','), clientId: 'faults', logLevel: 0 }).admin();
  await admin.connect();
  return {
    deleteTopics: (names) => admin.deleteTopics({ topics: [...names] }),
    rewind: (group, topic) => admin.resetOffsets({ groupId: group, topic, earliest: true }),
    close: () => admin.disconnect(),
  };
}
