import type { Fault, Logger, Metrics } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import type { Announcer, Topic } from './topics';

/** One member of a group. */
export interface Consumer {
  /**
   * Leaves the group. It takes no further message, waits for the handlers in flight (at most eight seconds), commits
   * what they finished, then gives the partitions up. Never rejects. A second call gives the same promise.
   */
  stop(): Promise<void>;
}

export interface ConsumeOptions {
  readonly topic: Topic;
  /** Members of one group share the topic's messages; each group gets them all. A new group reads from the start. */
  readonly group: string;
  /**
   * Gets announcements of one partition, in order, at most 500 at once; never called concurrently for one partition, concurrently for different ones.
   * Delivery is at least once. When it rejects, the same writes come again, after 0.1 s doubling to 5 s. An error that is worth a retry
   * (`SluiceError.retry` is not `never`) is tried without end. Any other is tried five times, then logged as an error and passed over.
   */
  readonly handle: (writes: WriteAnnouncement[]) => Promise<void>;
}

/** A consumer that has messages to read and has finished none of them for `watchdogMs`. */
export interface Stall {
  readonly topic: string;
  readonly group: string;
  readonly partitions: readonly number[];
}

/** Announcements between the services: on Kafka, or inside one process. Both pass the same conformance suite. */
export interface Messaging {
  announcer(topic: Topic): Announcer;
  /** Resolves at once, also while the broker is away: joining goes on in the background until `stop`. */
  consume(options: ConsumeOptions): Promise<Consumer>;
  /**
   * Creates the topics that are missing and leaves the others as they are.
   * @throws DependencyError when the broker does not answer, or refuses a topic: with its reason, the settings that were asked for, and the remedy
   */
  createTopics(): Promise<void>;
  /** Whether the broker answers (within a second), announcements leave and every consumer has joined its group. */
  healthy(): Promise<boolean>;
  /** What keeps a message from the topics that are announced on here: one without writes is sent to each. Undefined: nothing. Never rejects. */
  health(): Promise<Fault | undefined>;
  /** Stops the consumers, sends what is still buffered (at most two seconds), disconnects. Never rejects. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Longest time an announcement waits for others to share its message. @default 25 */
  readonly lingerMs?: number;
  /** Most announcements held in memory (about 500 bytes each). @default 20000 */
  readonly bufferMax?: number;
  /** Time without progress, in the face of messages, after which a consumer counts as stalled. @default 30000 */
  readonly watchdogMs?: number;
  /** Called after the stall was logged. A service ends its process here, so that its supervisor starts a new one. */
  readonly onStall?: (stall: Stall) => void;
  /** Where a test may break the process: before a request to the broker, and after its reply. @default none */
  readonly failpoints?: { hit(name: 'pub.before_send' | 'pub.after_send'): Promise<void> };
}

/** An outgoing message. `writes` is how many announcements it holds. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly writes: number;
}

/** Where messages are sent. */
export interface Transport {
  /** Whether a send can succeed. Checked before each send. */
  isUp(): boolean;
  /** All of them in one request, in order per key. Rejects when they may not have arrived. */
  send(messages: readonly OutgoingMessage[]): Promise<void>;
}
