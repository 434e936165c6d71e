import type { WriteAnnouncement } from '@sluice/types';

/** One topic: a fact that services announce to each other. Every message on it is `{ writes: WriteAnnouncement[] }`. */
export interface Topic {
  readonly name: string;
  /** Who announces it, who reads it, and what the reader does. */
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
      'The gateway announces that a record joined an auto-batch; the batcher flushes the batch when it is full or due.',
  },
  ready: {
    ...common,
    name: 'sluice.writes.ready',
    purpose: 'The gateway or the batcher announces that a call can be claimed; an executor wakes the lane of the call.',
  },
} as const satisfies Record<string, Topic>;

/** Announces accepted writes on a topic. Only a hint: a write whose announcement is dropped is found by a sweep, later. */
export interface Announcer {
  /**
   * Takes the write into memory and returns at once; never throws, never waits. Writes of one key that wait share a message, and everything due
   * leaves in one request. Announcements are dropped, and counted by reason in `sluice_announcements_dropped_total`. The reasons: a full buffer, a
   * broker that has been away for two seconds, a send that fails, after `close`.
   * @param key from the topic's `key` function
   * @param withinMs it leaves within this time; sooner with a more urgent one of its key. @default lingerMs
   */
  announce(key: string, write: WriteAnnouncement, withinMs?: number): void;
  /** Resolves when everything announced so far was sent or dropped. Never rejects. */
  flush(): Promise<void>;
}

/** What an announcement names: an operation, a sealed batch or a released call has all of it. */
type Announced = Pick<
  WriteAnnouncement,
  'projectId' | 'operationId' | 'installationId' | 'laneId' | 'objectName' | 'type' | 'traceparent'
>;

/** What it says besides: of a call, its number; of a record that joined an auto-batch, the rest. */
interface AnnouncedDetails extends Pick<WriteAnnouncement, 'callNumber' | 'index' | 'recordId' | 'dueAt' | 'isFull'> {
  readonly acceptedAt: Date;
}

/** Announces a call that can be claimed, or a record that joined an auto-batch. See `Announcer.announce`. */
export function announce(
  announcer: Announcer,
  { projectId, operationId, installationId, laneId, objectName, type, traceparent }: Announced,
  { acceptedAt, ...details }: AnnouncedDetails,
  withinMs?: number,
): void {
  const names = { projectId, operationId, installationId, laneId, objectName, type };
  const write = { ...names, ...details, acceptedAt: acceptedAt.toISOString(), traceparent };
  announcer.announce(partitionKey(write), write, withinMs);
}

/** The content of a message; `problem` states why it cannot be read. */
export type DecodedMessage = { readonly writes: WriteAnnouncement[] } | { readonly problem: string };

const required = [
  'projectId',
  'operationId',
  'installationId',
  'laneId',
  'objectName',
  'type',
  'acceptedAt',
  'traceparent',
] as const satisfies readonly (keyof WriteAnnouncement)[];

/** The value of a message, from announcements already in JSON: `{"writes":[…]}`. */
export function encodeMessage(bodies: readonly string[]): string {
  return `{"writes":[${bodies.join(',')}]}`;
}

/** Reads the value of a message. Never throws: a foreign message must not stop a partition. */
export function decodeMessage(value: Buffer | string | null): DecodedMessage {
  if (value === null) return { problem: 'the value is empty' };
  const body = parse(value.toString());
  if (!isRecord(body)) return { problem: 'the value is not a JSON object' };
  const writes: unknown = body['writes'];
  if (!Array.isArray(writes)) return { problem: 'writes is not an array' };
  for (const [index, write] of writes.entries()) {
    const missing = missingMember(write);
    if (missing !== undefined) return { problem: `writes[${index}].${missing} is not a string` };
  }
  return { writes: writes as WriteAnnouncement[] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function missingMember(write: unknown): string | undefined {
  return required.find((name) => !isRecord(write) || typeof write[name] !== 'string');
}
