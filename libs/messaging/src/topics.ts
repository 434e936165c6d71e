import type { WriteAnnouncement } from '@sluice/types';

/** One topic: a fact that services tell each other. Every message on it is `{ writes: WriteAnnouncement[] }`. */
export interface Topic {
  readonly name: string;
  /** Who says it, who listens, and what the listener does. */
  readonly purpose: string;
  /** More partitions let more consumers share the work. Changing it moves keys, which costs order once. */
  readonly partitions: number;
  /** Age at which the broker may forget a message. */
  readonly retentionMs: number;
  /** The broker forgets whole segments, so a message can outlive `retentionMs` by this. */
  readonly segmentMs: number;
  /** Writes of one key are delivered in the order they were announced. */
  readonly key: (write: KeyedWrite) => string;
}

/** The part of an announcement that its key is made of. */
export type KeyedWrite = Pick<WriteAnnouncement, 'installationId' | 'objectName' | 'type'>;

/**
 * Key of both topics: `installationId/objectName/type`.
 * Source: the user's card ("topics keyed by installation/object/type").
 */
export function partitionKey(write: KeyedWrite): string {
  return `${write.installationId}/${write.objectName}/${write.type}`;
}

const common = {
  // Twelve divides evenly among 1, 2, 3, 4, 6 and 12 consumers.
  partitions: 12,
  // A sweep finds within seconds what no message announced, so an old message is worth nothing. A quarter of an
  // hour covers a rolling restart of every consumer, and bounds what a new group replays.
  retentionMs: 15 * 60_000,
  segmentMs: 5 * 60_000,
  key: partitionKey,
};

/** Every topic there is. `createTopics` makes these. */
export const topics = {
  autoBatched: {
    ...common,
    name: 'sluice.writes.auto-batched',
    purpose:
      'The gateway says that a record joined an auto-batch; the batcher flushes the batch when it is full or due.',
  },
  ready: {
    ...common,
    name: 'sluice.writes.ready',
    purpose: 'The gateway or the batcher says that a call can be claimed; an executor wakes the lane of the call.',
  },
} as const satisfies Record<string, Topic>;
