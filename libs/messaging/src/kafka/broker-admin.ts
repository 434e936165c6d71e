import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';
import type { Admin, ITopicConfig } from 'kafkajs';
import type { Topic } from '../topics';
import type { NewKafka } from './kafka-client';

/** Unfinished messages of one partition, by the group's committed offset. */
export interface PartitionLag {
  readonly partition: number;
  readonly committed: string;
  readonly lag: number;
}

/** Everything asked of the broker besides sending and reading, over one connection that is rebuilt after a failure. */
export class BrokerAdmin {
  private opening: Promise<Admin> | undefined;

  constructor(private readonly newKafka: NewKafka) {}

  async ping(): Promise<void> {
    await this.use((admin) => admin.describeCluster());
  }

  /** Makes what is missing; an existing topic keeps its partitions and settings. */
  async createTopics(topics: readonly Topic[], prefix: string): Promise<void> {
    await this.use(async (admin) => {
      const { brokers } = await admin.describeCluster();
      const existing = new Set(await admin.listTopics());
      const missing = topics.filter(({ name }) => !existing.has(`${prefix}${name}`));
      if (missing.length === 0) return;
      // Three copies survive the loss of a broker; kafkajs speaks no version that leaves the number to the cluster.
      const replicationFactor = Math.min(3, brokers.length);
      const wanted = missing.map((topic) => topicConfig(topic, prefix, replicationFactor));
      // False when somebody else made them meanwhile, which is as good.
      await admin.createTopics({ topics: wanted, waitForLeaders: false, timeout: 5_000 });
      await untilLed(
        admin,
        wanted.map(({ topic }) => topic),
      );
    });
  }

  /** Lag of every partition. A partition without a committed offset is read from its start. */
  async lags(topic: string, group: string): Promise<PartitionLag[]> {
    return this.use(async (admin) => {
      const [committed, ends] = await Promise.all([
        admin.fetchOffsets({ groupId: group, topics: [topic] }),
        admin.fetchTopicOffsets(topic),
      ]);
      const byPartition = new Map(committed[0]?.partitions.map(({ partition, offset }) => [partition, offset]));
      return ends.map(({ partition, low, high }) => {
        const offset = byPartition.get(partition) ?? '-1';
        return { partition, committed: offset, lag: Number(high) - Math.max(Number(offset), Number(low)) };
      });
    });
  }

  async close(): Promise<void> {
    const admin = await this.opening?.catch(() => undefined);
    this.opening = undefined;
    await admin?.disconnect();
  }

  private async use<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    const opening = (this.opening ??= this.open());
    try {
      return await ask(await opening);
    } catch (error) {
      if (this.opening === opening) this.opening = undefined;
      opening.then((admin) => admin.disconnect()).catch(() => undefined);
      throw new DependencyError({ code: 'service.unavailable', detail: 'Kafka does not answer.', cause: error });
    }
  }

  private async open(): Promise<Admin> {
    const admin = this.newKafka().admin();
    await admin.connect();
    return admin;
  }
}

/** Longest wait for the leaders of new topics, and the pause between two looks. A loaded broker needs seconds. */
const ledMaxMs = 15_000;
const lookEveryMs = 100;
/** What a broker says of a partition that the controller has made and it does not serve yet. */
const notYet = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];

/**
 * Waits until the leader of each partition serves it: asking for its offsets is the proof. kafkajs waits for the metadata, which
 * runs ahead of the leaders, and gives up on the first broker that has not heard of the topic.
 */
async function untilLed(admin: Admin, topics: string[]): Promise<void> {
  const endAtMs = performance.now() + ledMaxMs;
  for (;;) {
    try {
      for (const topic of topics) await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!notYet.includes(brokersWord(error) ?? '') || performance.now() > endAtMs) throw error;
      await sleep(lookEveryMs);
    }
  }
}

/** The protocol's name of an error. kafkajs wraps what the broker said when it met it while it refreshed its metadata. */
function brokersWord(error: unknown): string | undefined {
  const { type, cause } = error as { readonly type?: string; readonly cause?: { readonly type?: string } };
  return type ?? cause?.type;
}

function topicConfig(topic: Topic, prefix: string, replicationFactor: number): ITopicConfig {
  return {
    topic: `${prefix}${topic.name}`,
    numPartitions: topic.partitions,
    replicationFactor,
    configEntries: [
      { name: 'cleanup.policy', value: 'delete' },
      { name: 'retention.ms', value: String(topic.retentionMs) },
      { name: 'segment.ms', value: String(topic.segmentMs) },
    ],
  };
}
