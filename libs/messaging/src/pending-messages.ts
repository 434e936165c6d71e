import type { OutgoingMessage } from './messaging';
import { encodeMessage } from './write-codec';

/** One announcement, already in JSON. */
interface Announcement {
  readonly topic: string;
  readonly key: string;
  readonly body: string;
}

/**
 * Bytes of one request. All of it may fall into one partition, whose record batch must stay below the broker's
 * `message.max.bytes` (1,048,588 by default).
 */
const requestBytesMax = 700_000;

/** Of one message: one delivery to a handler holds at most as many. */
const writesPerMessageMax = 500;

interface Gathering {
  readonly topic: string;
  readonly key: string;
  readonly bodies: string[];
  bytes: number;
}

/** Announcements that wait, gathered by topic and key. */
export class PendingMessages {
  private gatherings: Gathering[] = [];
  private readonly open = new Map<string, Gathering>();
  private since = 0;
  private waiting = 0;

  get count(): number {
    return this.waiting;
  }

  /** Age of the oldest; 0 when nothing waits. */
  get ageMs(): number {
    return this.waiting === 0 ? 0 : performance.now() - this.since;
  }

  /** Whether something waits that was added at `moment` (of `performance.now()`) or before. */
  hasSince(moment: number): boolean {
    return this.waiting > 0 && this.since <= moment;
  }

  add(announcement: Announcement): void {
    if (this.waiting === 0) this.since = performance.now();
    this.waiting += 1;
    const gathering = this.gatheringOf(announcement);
    gathering.bodies.push(announcement.body);
    gathering.bytes += Buffer.byteLength(announcement.body) + 1;
  }

  /** Removes everything; each item fits into one request. The order of each key is kept across the items. */
  drain(): OutgoingMessage[][] {
    const requests: OutgoingMessage[][] = [];
    let bytes = Infinity;
    for (const gathering of this.gatherings) {
      bytes += gathering.bytes;
      if (bytes > requestBytesMax) {
        requests.push([]);
        bytes = gathering.bytes;
      }
      requests.at(-1)?.push(toMessage(gathering));
    }
    this.gatherings = [];
    this.open.clear();
    this.waiting = 0;
    return requests;
  }

  private gatheringOf({ topic, key }: Announcement): Gathering {
    const name = `${topic}\n${key}`;
    const known = this.open.get(name);
    if (known && known.bodies.length < writesPerMessageMax && known.bytes < requestBytesMax / 2) return known;
    const started: Gathering = { topic, key, bodies: [], bytes: Buffer.byteLength(key) + 100 };
    this.open.set(name, started);
    this.gatherings.push(started);
    return started;
  }
}

function toMessage({ topic, key, bodies }: Gathering): OutgoingMessage {
  return { topic, key, value: encodeMessage(bodies), writes: bodies.length };
}
