import type { Logger } from '@sluice/telemetry';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import type { DeliveryOf } from '../pipeline';
import { within } from '../waiting';

export interface SessionOptions {
  readonly kafka: Kafka;
  readonly logger: Logger;
  /** Full names, prefix included. */
  readonly topic: string;
  readonly group: string;
  readonly partitions: number;
  readonly deliveryOf: DeliveryOf;
}

/** Leaving must not hang on a broker that does not answer. */
const commitMs = 2_000;

/**
 * One life of a kafkajs consumer, from its connection to its first crash; it is never restarted, its owner makes a new one. Invariants: a handler
 * that began before a rebalance moves no offset after it (`generation` is the fence). Partitions are given up only when the handlers in flight have
 * ended and their offsets are committed.
 */
export class ConsumerSession {
  private readonly consumer: Consumer;
  private readonly committer: OffsetCommitter;
  private readonly timers = new Set<NodeJS.Timeout>();
  private generation = 0;
  private isClosing = false;
  private partitions: readonly number[] | undefined;
  /** Resolves with the reason when kafkajs gave up. */
  readonly crashed: Promise<Error>;

  constructor(private readonly options: SessionOptions) {
    this.committer = new OffsetCommitter(options.logger);
    this.consumer = options.kafka.consumer({
      groupId: options.group,
      allowAutoTopicCreation: false,
      // A killed member's partitions are taken over after this; the least that brokers allow by default.
      sessionTimeout: 6_000,
      // A rebalance is noticed by a heartbeat.
      heartbeatInterval: 1_000,
      // Longest drain: a member whose handler takes longer is put out of the group, and its work is repeated.
      rebalanceTimeout: 15_000,
      // A stop waits for the fetch under way.
      maxWaitTimeInMs: 250,
      retry: { retries: 2, initialRetryTime: 100, restartOnFailure: async () => false },
    });
    this.crashed = new Promise((resolve) => {
      this.consumer.on(this.consumer.events.CRASH, ({ payload }) => resolve(payload.error));
    });
    this.consumer.on(this.consumer.events.GROUP_JOIN, ({ payload }) => {
      this.generation += 1;
      this.partitions = payload.memberAssignment[options.topic] ?? [];
    });
    // Emitted before the group is joined again; until then the broker takes the commits of the old generation.
    this.consumer.on(this.consumer.events.REBALANCING, () => void this.committer.now());
  }

  /** Partitions this member reads; undefined before it has joined. */
  get assigned(): readonly number[] | undefined {
    return this.partitions;
  }

  /** Connects and joins. Rejects, or `crashed` resolves, when that fails. */
  async open(): Promise<void> {
    await this.consumer.connect();
    // From the beginning: a group without an offset is new, or its topic was made anew; what the topic keeps
    // (`retentionMs`) was announced for it. From the end, a partition's first messages would be lost in a rebalance.
    await this.consumer.subscribe({ topic: this.options.topic, fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.options.partitions,
      eachBatch: (payload) => this.onBatch(payload),
    });
  }

  /** Drains, commits, leaves the group, disconnects. Never rejects. */
  async close(): Promise<void> {
    this.isClosing = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.partitions = undefined;
    await within(commitMs, this.committer.now());
    await this.consumer.disconnect().catch(() => undefined);
  }

  private async onBatch(payload: EachBatchPayload): Promise<void> {
    let isLeaving = true;
    try {
      // A heartbeat that was refused rejects here, after the drain: kafkajs then joins again.
      await beatDuring(
        () => payload.heartbeat(),
        (isBeating) => this.deliver(payload, isBeating),
      );
      isLeaving = this.isClosing;
    } finally {
      this.committer.soon(payload);
      if (isLeaving) await within(commitMs, this.committer.now());
    }
  }

  private async deliver(payload: EachBatchPayload, isBeating: () => boolean): Promise<void> {
    const { generation } = this;
    const { batch } = payload;
    const isMine = () => generation === this.generation;
    const delayMs = await this.options.deliveryOf(batch.partition).deliver(batch.messages, {
      isCurrent: () => isMine() && isBeating() && payload.isRunning() && !payload.isStale() && !this.isClosing,
      resolve: (offset) => {
        if (isMine()) payload.resolveOffset(offset);
      },
    });
    if (delayMs !== undefined) this.resumeLater(payload.pause(), delayMs);
  }

  /** What was not resolved is fetched again; until then the other partitions go on. */
  private resumeLater(resume: () => void, delayMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      resume();
    }, delayMs);
    this.timers.add(timer);
  }
}

/** The part of a batch's payload that concerns the whole membership: any batch has it. */
export type Offsets = Pick<EachBatchPayload, 'commitOffsetsIfNecessary' | 'uncommittedOffsets'>;

/**
 * After a kill at most this much is delivered again, which costs a claim that is lost. A commit per batch instead
 * costs more than everything else a message costs (measured: 94 us of CPU per write at 2,000 writes/s, 40 with this).
 */
const commitEveryMs = 200;

/** Commits resolved offsets, all partitions in one request, a few times a second and on request. */
class OffsetCommitter {
  private offsets: Offsets | undefined;
  private timer: NodeJS.Timeout | undefined;
  private committing: Promise<void> = Promise.resolve();

  constructor(private readonly logger: Logger) {}

  /** Offsets were resolved: they are committed soon. */
  soon(offsets: Offsets): void {
    this.offsets = offsets;
    this.timer ??= setTimeout(() => void this.now(), commitEveryMs);
  }

  /** Commits what is resolved at this moment. Never rejects: what is not committed is delivered again. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.committing = this.committing.then(() => this.commit());
    return this.committing;
  }

  private async commit(): Promise<void> {
    const offsets = this.offsets?.uncommittedOffsets();
    if (!offsets || offsets.topics.length === 0) return;
    try {
      await this.offsets?.commitOffsetsIfNecessary(offsets);
    } catch (error) {
      this.logger.debug({ error }, 'consumer.commit-failed');
    }
  }
}

/**
 * Runs `work` and heartbeats meanwhile, so that a slow handler does not cost the membership.
 * `work` can check whether the heartbeats still succeed; the error of a failed one is thrown after `work` has ended.
 * @param everyMs how often to call `heartbeat`, which itself keeps to the consumer's interval
 */
export async function beatDuring(
  heartbeat: () => Promise<void>,
  work: (isBeating: () => boolean) => Promise<void>,
  everyMs = 500,
): Promise<void> {
  let failure: { error: unknown } | undefined;
  const timer = setInterval(() => {
    heartbeat().catch((error: unknown) => {
      failure ??= { error };
      clearInterval(timer);
    });
  }, everyMs);
  try {
    await work(() => failure === undefined);
  } finally {
    clearInterval(timer);
  }
  if (failure) throw failure.error;
}
