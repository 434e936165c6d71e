import { SluiceError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import { backoffMs } from './waiting';
import type { MessagingCounters } from './messaging-counters';
import { decodeMessage } from './topics';

export interface IncomingMessage {
  readonly offset: string;
  readonly value: Buffer | string | null;
}

export interface DeliveryOptions {
  readonly topic: string;
  readonly partition: number;
  readonly handle: (writes: WriteAnnouncement[]) => Promise<void>;
  readonly logger: Logger;
  readonly counters: MessagingCounters;
}

/** What a delivery needs from the reader of its partition. */
export interface Reading {
  /** False once the partition was given up or must be: then no further handler starts. */
  isCurrent(): boolean;
  /** Everything up to `offset` is finished. */
  resolve(offset: string): void;
}

/** Of one call of a handler: bounds what a failure repeats and how long a drain takes. */
const writesPerCallMax = 500;
const failuresMax = 5;
const redelivery = { baseMs: 100, capMs: 5_000 };

interface Portion {
  readonly writes: WriteAnnouncement[];
  readonly lastOffset: string;
}

/**
 * Gives the messages of one partition to its handler, in order, and decides what a failure means.
 * Invariant: one handler call at a time, also when a reader begins before the previous one has drained.
 */
export class PartitionDelivery {
  private failures = 0;
  /** Offsets of undecodable messages that wait for their resolution: a redelivery brings them again. */
  private readonly undecodable = new Set<string>();
  private tail: Promise<unknown> = Promise.resolve();
  /** Handler calls that ended, either way. Liveness is judged by it. */
  ended = 0;

  constructor(private readonly options: DeliveryOptions) {}

  /**
   * Delivers until the end, a failure, or until the partition is no longer current.
   * @returns how long to wait before the unresolved rest is delivered again; undefined when nothing failed
   */
  deliver(messages: readonly IncomingMessage[], reading: Reading): Promise<number | undefined> {
    const delivered = this.tail.then(() => this.deliverNow(messages, reading));
    this.tail = delivered.catch(() => undefined);
    return delivered;
  }

  private async deliverNow(messages: readonly IncomingMessage[], reading: Reading): Promise<number | undefined> {
    for (const portion of this.portions(messages)) {
      if (!reading.isCurrent()) return undefined;
      const isFinished = portion.writes.length === 0 || (await this.call(portion));
      if (!isFinished) return backoffMs(redelivery, this.failures);
      this.failures = 0;
      this.undecodable.clear();
      reading.resolve(portion.lastOffset);
    }
    return undefined;
  }

  private async call({ writes, lastOffset }: Portion): Promise<boolean> {
    try {
      await this.options.handle(writes);
      return true;
    } catch (error) {
      return this.isGivenUp(error, lastOffset);
    } finally {
      this.ended += 1;
    }
  }

  private isGivenUp(error: unknown, offset: string): boolean {
    const { topic, partition, logger, counters } = this.options;
    this.failures += 1;
    const isWorthRetry = error instanceof SluiceError && error.retry !== 'never';
    if (isWorthRetry || this.failures < failuresMax) {
      counters.redelivered.inc({ topic });
      logger.warn({ topic, partition, offset, failures: this.failures, error }, 'message.handler-failed');
      return false;
    }
    // A defect must not block the partition for ever: the writes are in Postgres, where a sweep finds them.
    counters.passedOver.inc({ topic });
    logger.error({ topic, partition, offset, failures: this.failures, error }, 'message.passed-over');
    return true;
  }

  private *portions(messages: readonly IncomingMessage[]): Generator<Portion> {
    let writes: WriteAnnouncement[] = [];
    let lastOffset: string | undefined;
    for (const message of messages) {
      const decoded = this.decode(message);
      if (lastOffset !== undefined && writes.length > 0 && writes.length + decoded.length > writesPerCallMax) {
        yield { writes, lastOffset };
        writes = [];
      }
      writes.push(...decoded);
      lastOffset = message.offset;
    }
    if (lastOffset !== undefined) yield { writes, lastOffset };
  }

  private decode({ offset, value }: IncomingMessage): WriteAnnouncement[] {
    const decoded = decodeMessage(value);
    if ('writes' in decoded) return decoded.writes;
    const { topic, partition, logger, counters } = this.options;
    if (this.undecodable.has(offset)) return [];
    this.undecodable.add(offset);
    counters.undecodable.inc({ topic });
    logger.warn({ topic, partition, offset, problem: decoded.problem }, 'message.undecodable');
    return [];
  }
}
