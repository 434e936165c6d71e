import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';
import type { Admin, ITopicConfig } from 'kafkajs';
import type { Topic } from '../topics';
import type { NewKafka } from './kafka-client';
import { faultOf, protocolError } from './refusals';

/** Unfinished messages of one partition, by the group's committed offset. */
export interface PartitionLag {
  readonly partition: number;
  readonly committed: string;
  readonly lag: number;
}

interface Connection {
  readonly admin: Promise<Admin>;
  /** That wait for their reply. */
  requests: number;
}

/** All requests to the broker besides sending and reading, over one connection that is rebuilt after a failure. */
export class BrokerAdmin {
  private connection: Connection | undefined;

  constructor(private readonly newKafka: NewKafka) {}

  async ping(): Promise<void> {
    await this.use((admin) => admin.describeCluster());
  }

  /** Creates what is missing; an existing topic keeps its partitions and settings. */
  async createTopics(topics: readonly Topic[], prefix: string): Promise<void> {
    const requested: Record<string, string> = {};
    await this.use(async (admin) => {
      const { brokers } = await admin.describeCluster();
      const existing = new Set(await admin.listTopics());
      const missing = topics.filter(({ name }) => !existing.has(`${prefix}${name}`));
      if (missing.length === 0) return;
      // Three copies survive the loss of a broker; no protocol version of kafkajs leaves the number to the cluster.
      const replicationFactor = Math.min(3, brokers.length);
      const wanted = missing.map((topic) => topicConfig(topic, prefix, replicationFactor));
      for (const topic of wanted) requested[topic.topic] = textOf(topic);
      // False when another process created them meanwhile, which is as good.
      await admin.createTopics({ topics: wanted, waitForLeaders: false, timeout: 5_000 });
      await untilLed(
        admin,
        wanted.map(({ topic }) => topic),
      );
    }, requested);
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
    const { connection } = this;
    this.connection = undefined;
    if (connection !== undefined) await disconnect(connection);
  }

  private async use<T>(request: (admin: Admin) => Promise<T>, requested: Record<string, string> = {}): Promise<T> {
    const connection = (this.connection ??= { admin: this.open(), requests: 0 });
    connection.requests += 1;
    try {
      return await request(await connection.admin);
    } catch (error) {
      if (this.connection === connection) this.connection = undefined;
      const { reason, remedy } = faultOf(error, requested);
      throw new DependencyError({ code: 'service.unavailable', detail: `Kafka ${reason}.`, remedy, cause: error });
    } finally {
      connection.requests -= 1;
      // Not under the requests beside the one that failed: kafkajs forgets what they have read of the cluster.
      if (this.connection !== connection && connection.requests === 0) void disconnect(connection);
    }
  }

  private async open(): Promise<Admin> {
    const admin = this.newKafka().admin();
    await admin.connect();
    return admin;
  }
}

async function disconnect({ admin }: Connection): Promise<void> {
  await admin.then((opened) => opened.disconnect()).catch(() => undefined);
}

/** Longest wait for the leaders of new topics, and the pause between two checks. A loaded broker needs seconds. */
const ledMaxMs = 15_000;
const checkEveryMs = 100;
/** Errors of a broker for a partition that the controller has created and it does not serve yet. */
const notYetServed = ['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION'];

/**
 * Waits until the leader of each partition serves it, which a reply with its offsets proves. Kafkajs waits for the metadata,
 * which is ahead of the leaders. It gives up at the first broker that does not know the topic yet.
 */
async function untilLed(admin: Admin, topics: string[]): Promise<void> {
  const endAtMs = performance.now() + ledMaxMs;
  for (;;) {
    try {
      for (const topic of topics) await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (!notYetServed.includes(protocolError(error) ?? '') || performance.now() > endAtMs) throw error;
      await sleep(checkEveryMs);
    }
  }
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

function textOf({ numPartitions, replicationFactor, configEntries = [] }: ITopicConfig): string {
  const entries = configEntries.map(({ name, value }) => `${name}=${value}`);
  return [`${numPartitions} partitions`, `replication factor ${replicationFactor}`, ...entries].join(', ');
}
