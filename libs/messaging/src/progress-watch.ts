/** One partition as seen at one moment. */
export interface Progress {
  readonly partition: number;
  /** Messages not yet finished. */
  readonly lag: number;
  /** Anything that changes when work is done: the committed offset and the handler calls that ended. */
  readonly mark: string;
}

/** Tells stillness from idleness: a partition stalls when it has messages and its mark did not change for `stallMs`. */
export class ProgressWatch {
  private readonly seen = new Map<number, { mark: string; sinceMs: number }>();

  constructor(private readonly stallMs: number) {}

  /**
   * @param nowMs of a monotonic clock
   * @returns partitions that stalled; each is told again after another `stallMs`
   */
  observe(nowMs: number, progresses: readonly Progress[]): number[] {
    const present = new Set(progresses.map(({ partition }) => partition));
    for (const partition of this.seen.keys()) if (!present.has(partition)) this.seen.delete(partition);
    return progresses.filter((progress) => this.hasStalled(nowMs, progress)).map(({ partition }) => partition);
  }

  /** Starts over: while the lag is not known, nobody can be blamed. */
  forget(): void {
    this.seen.clear();
  }

  private hasStalled(nowMs: number, { partition, lag, mark }: Progress): boolean {
    const before = this.seen.get(partition);
    if (lag > 0 && before?.mark === mark && nowMs - before.sinceMs < this.stallMs) return false;
    this.seen.set(partition, { mark, sinceMs: nowMs });
    return lag > 0 && before?.mark === mark;
  }
}
