import { outsideSteps, type Logger } from '@sluice/telemetry';
import type { WriteAnnouncement } from '@sluice/types';
import type { MessagingOptions, OutgoingMessage, Transport } from './messaging';
import type { DropReason, MessagingCounters } from './messaging-counters';
import { within } from './waiting';
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
 * Holds announcements until they leave, one request at a time. So the order of each key is kept, and whatever gathers while a request is in flight
 * shares the next one. Invariant: every announcement is counted as sent or as dropped.
 */
export class AnnouncementBuffer {
  private readonly lingerMs: number;
  private readonly bufferMax: number;
  private readonly holdMs: number;
  private readonly pending = new PendingMessages();
  private inFlight = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerAtMs = Infinity;
  private sending: Promise<void> | undefined;
  private isClosed = false;

  constructor(private readonly options: BufferOptions) {
    this.lingerMs = options.lingerMs ?? 25;
    this.bufferMax = options.bufferMax ?? 20_000;
    // After the executor's sweep interval (2 s) the write has been found without an announcement.
    this.holdMs = options.holdMs ?? 2_000;
  }

  add(topic: string, key: string, write: WriteAnnouncement, withinMs = this.lingerMs): void {
    const body = JSON.stringify(write);
    const reason = this.refusal(body);
    if (reason) return this.drop(topic, reason, 1);
    this.pending.add({ topic, key, body, withinMs, isUrgent: withinMs <= this.lingerMs });
    this.arm();
  }

  /** Resolves when everything announced so far was sent, or dropped because the broker stayed away. */
  async flush(): Promise<void> {
    const calledAtMs = performance.now();
    await this.sending;
    await this.pump('all');
    while (this.pending.hasSince(calledAtMs)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await this.pump('all');
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

  /** Sets the timer for what is due first; a request under way is followed by its own. */
  private arm(): void {
    const dueAtMs = performance.now() + this.waitMs();
    if (this.sending !== undefined || dueAtMs >= this.timerAtMs) return;
    clearTimeout(this.timer);
    this.timerAtMs = dueAtMs;
    const send = (): void => {
      this.timerAtMs = Infinity;
      void this.pump('due');
    };
    // It sends the announcements of other requests as well, so it does not belong to the one that set it.
    this.timer = outsideSteps(() => setTimeout(send, this.waitMs()).unref());
  }

  /** Joins a send in flight, which then sets the timer for what is left. */
  private pump(what: 'due' | 'all'): Promise<void> {
    this.sending ??= this.sendPending(what).finally(() => {
      this.sending = undefined;
      if (this.pending.count > 0) this.arm();
    });
    return this.sending;
  }

  /** Announcements added during a request have waited already; a broker that is away is checked ten times a second. */
  private waitMs(): number {
    return this.options.transport.isUp() ? Math.max(0, this.pending.dueAtMs - performance.now()) : 100;
  }

  private async sendPending(what: 'due' | 'all'): Promise<void> {
    if (!this.options.transport.isUp()) {
      if (this.pending.ageMs >= this.holdMs) this.dropPending('broker-away');
      return;
    }
    const requests = this.pending.drain(what);
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
    for (const { topic, writes } of this.pending.drain('all').flat()) this.drop(topic, reason, writes);
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
  /** Leaves at the latest after this time. */
  readonly withinMs: number;
  /** Does not wait for those that have more time; it takes along what waits for its key. */
  readonly isUrgent: boolean;
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
  isUrgent: boolean;
}

/** Announcements that wait, gathered by topic and key. Those with time leave all together, so that a request holds many of them. */
class PendingMessages {
  private gatherings: Gathering[] = [];
  private readonly open = new Map<string, Gathering>();
  private since = 0;
  private waiting = 0;
  private urgentAtMs = Infinity;
  private relaxedAtMs = Infinity;

  get count(): number {
    return this.waiting;
  }

  /** Moment (of `performance.now()`) at which something has to leave; infinite when nothing waits. */
  get dueAtMs(): number {
    return Math.min(this.urgentAtMs, this.relaxedAtMs);
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
    const nowMs = performance.now();
    if (this.waiting === 0) this.since = nowMs;
    this.waiting += 1;
    const gathering = this.gatheringOf(announcement);
    gathering.bodies.push(announcement.body);
    gathering.bytes += Buffer.byteLength(announcement.body) + 1;
    gathering.isUrgent ||= announcement.isUrgent;
    const dueAtMs = nowMs + announcement.withinMs;
    if (gathering.isUrgent) this.urgentAtMs = Math.min(this.urgentAtMs, dueAtMs);
    else this.relaxedAtMs = Math.min(this.relaxedAtMs, dueAtMs);
  }

  /** Removes what is due, or everything; each item fits into one request. The order of each key is kept across the items. */
  drain(what: 'due' | 'all'): OutgoingMessage[][] {
    // A timer may fire a millisecond early.
    const isAll = what === 'all' || this.relaxedAtMs <= performance.now() + 1;
    const leaving = isAll ? this.gatherings : this.gatherings.filter(({ isUrgent }) => isUrgent);
    this.gatherings = isAll ? [] : this.gatherings.filter(({ isUrgent }) => !isUrgent);
    this.urgentAtMs = Infinity;
    if (isAll) this.relaxedAtMs = Infinity;
    const requests: OutgoingMessage[][] = [];
    let bytes = Infinity;
    for (const gathering of leaving) {
      bytes += gathering.bytes;
      if (bytes > requestBytesMax) {
        requests.push([]);
        bytes = gathering.bytes;
      }
      requests.at(-1)?.push(toMessage(gathering));
      this.waiting -= gathering.bodies.length;
      this.open.delete(nameOf(gathering));
    }
    if (this.waiting === 0) this.relaxedAtMs = Infinity;
    return requests;
  }

  private gatheringOf({ topic, key }: Announcement): Gathering {
    const name = nameOf({ topic, key });
    const known = this.open.get(name);
    if (known && known.bodies.length < writesPerMessageMax && known.bytes < requestBytesMax / 2) return known;
    // What follows in a message of its own may be urgent, and the order of the key is kept.
    if (known) known.isUrgent = true;
    const started: Gathering = { topic, key, bodies: [], bytes: Buffer.byteLength(key) + 100, isUrgent: false };
    this.open.set(name, started);
    this.gatherings.push(started);
    return started;
  }
}

const nameOf = ({ topic, key }: Pick<Gathering, 'topic' | 'key'>): string => `${topic}\n${key}`;

function toMessage({ topic, key, bodies }: Gathering): OutgoingMessage {
  return { topic, key, value: encodeMessage(bodies), writes: bodies.length };
}
