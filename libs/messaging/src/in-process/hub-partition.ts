import type { IncomingMessage } from '../partition-delivery';

/** About 5,000 announcements; a group that falls further behind loses the oldest, as with a broker's retention. */
const charsMax = 2_000_000;

/** Messages of one partition, with the offsets they would have on a broker. */
export class HubPartition {
  private entries: string[] = [];
  private first = 0;
  private chars = 0;

  /** Offset the next message will get. */
  get end(): number {
    return this.first + this.entries.length;
  }

  /** Offset of the oldest message that is kept. */
  get start(): number {
    return this.first;
  }

  append(value: string): void {
    this.entries.push(value);
    this.chars += value.length;
    let excess = 0;
    while (this.chars > charsMax && excess < this.entries.length - 1) this.chars -= this.entries[excess++]?.length ?? 0;
    this.forget(excess);
  }

  /** At most `count` messages from `offset` on. */
  read(offset: number, count: number): IncomingMessage[] {
    const from = Math.max(0, offset - this.first);
    return this.entries
      .slice(from, from + count)
      .map((value, index) => ({ offset: String(this.first + from + index), value }));
  }

  /** Forgets what every group has finished. */
  trim(before: number): void {
    const count = Math.min(Math.max(0, before - this.first), this.entries.length);
    // Not for every message: taking one from the front of an array moves all the others.
    if (count < 256 && count < this.entries.length) return;
    for (let index = 0; index < count; index += 1) this.chars -= this.entries[index]?.length ?? 0;
    this.forget(count);
  }

  private forget(count: number): void {
    if (count === 0) return;
    this.entries = this.entries.slice(count);
    this.first += count;
  }
}
