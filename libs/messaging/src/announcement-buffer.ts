import { outsideSteps, type Logger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import type { MessagingOptions, OutgoingMessage, Transport } from './messaging';
import type { DropReason, MessagingCounters } from './messaging-counters';
import { within } from './within';
import { encodeMessage } from './topics';

export interface BufferOptions {
  readonly transport: Transport;
  readonly counters: MessagingCounters;
  readonly logger: Logger;
  readonly lingerMs?: number | undefined;
  readonly bufferMax?: number | undefined;
  /** How long announcements wait for a broker that is away. @default 2000 */
  readonly holdMs?: number | undefined;
  readonly failpoints?: MessagingOptions['failpoints'];
}

/** An announcement is ids and a few names; what is larger is not one. */
const bodyBytesMax = 64 * 1024;

/**
 * Holds announcements until they leave, one request at a time: so the order of each key is kept, and whatever gathers
 * while a request is under way shares the next one. Invariant: every announcement is counted as sent or as dropped.
 */
export class AnnouncementBuffer {
  private readonly lingerMs: number;
  private readonly bufferMax: number;
  private readonly holdMs: number;
  private readonly pending = new PendingMessages();
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private isClosed = false;

  constructor(private readonly options: BufferOptions) {
    this.lingerMs = options.lingerMs ?? 25;
    this.bufferMax = options.bufferMax ?? 20_000;
    // Past the executor's sweep interval (2 s) an announcement tells nothing that is not already found.
    this.holdMs = options.holdMs ?? 2_000;
  }

  add(topic: string, key: string, write: WriteAnnouncement): void {
    const body = JSON.stringify(write);
    const reason = this.refusal(body);
    if (reason) return this.drop(topic, reason, 1);
    this.pending.add({ topic, key, body });
    this.arm(this.lingerMs);
  }

  /** Resolves when everything announced so far was sent, or dropped because the broker stayed away. */
  async flush(): Promise<void> {
    const asked = performance.now();
    await this.sending;
    await this.pump();
    while (this.pending.hasSince(asked)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await this.pump();
    }
  }

  /** Refuses further announcements, sends what is left for at most `withinMs`, drops the rest. */
  async close(withinMs: number): Promise<void> {
    this.isClosed = true;
    if (this.options.transport.isUp()) await within(withinMs, this.flush());
    clearTimeout(this.timer);
    this.dropPending('closed');
  }

  private refusal(body: string): DropReason | undefined {
    if (this.isClosed) return 'closed';
    if (this.pending.count + this.inFlight >= this.bufferMax) return 'buffer-full';
    return body.length > bodyBytesMax ? 'too-large' : undefined;
  }

  private arm(delayMs: number): void {
    if (this.timer) return;
    const send = (): void => {
      this.timer = undefined;
      void this.pump();
    };
    // It sends what others announce as well, and is no part of the request that set it.
    this.timer = outsideSteps(() => setTimeout(send, delayMs).unref());
  }

  /** Sends what is due now; joins the sending that is under way, which then looks for more by itself. */
  private pump(): Promise<void> {
    this.sending ??= this.sendPending().finally(() => {
      this.sending = undefined;
      if (this.pending.count > 0) this.arm(this.waitMs());
    });
    return this.sending;
  }

  /** What gathered during a request has waited already; a broker that is away is looked for ten times a second. */
  private waitMs(): number {
    return this.options.transport.isUp() ? Math.max(0, this.lingerMs - this.pending.ageMs) : 100;
  }

  private async sendPending(): Promise<void> {
    if (!this.options.transport.isUp()) {
      if (this.pending.ageMs >= this.holdMs) this.dropPending('broker-away');
      return;
    }
    const requests = this.pending.drain();
    this.inFlight = countWrites(requests.flat());
    for (const messages of requests) {
      await this.send(messages);
      this.inFlight -= countWrites(messages);
    }
  }

  private async send(messages: readonly OutgoingMessage[]): Promise<void> {
    try {
      await this.options.failpoints?.hit('pub.before_send');
      await this.options.transport.send(messages);
      await this.options.failpoints?.hit('pub.after_send');
      for (const { topic, writes } of messages) this.options.counters.sent.inc({ topic }, writes);
    } catch (error) {
      for (const { topic, writes } of messages) this.drop(topic, 'send-failed', writes);
      this.options.logger.warn({ error, messages: messages.length }, 'announcements.send-failed');
    }
  }

  private dropPending(reason: DropReason): void {
    for (const { topic, writes } of this.pending.drain().flat()) this.drop(topic, reason, writes);
  }

  private drop(topic: string, reason: DropReason, writes: number): void {
    this.options.counters.dropped.inc({ topic, reason }, writes);
  }
}

function countWrites(messages: readonly OutgoingMessage[]): number {
  return messages.reduce((sum, { writes }) => sum + writes, 0);
}

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
class PendingMessages {
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
