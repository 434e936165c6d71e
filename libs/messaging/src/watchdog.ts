import type { Logger } from '@sluice/telemetry';
import type { Stall } from './messaging';
import type { MessagingCounters } from './messaging-counters';

interface WatchdogOptions {
  readonly topic: string;
  readonly group: string;
  readonly stallMs: number;
  /** Progress of the partitions this consumer answers for. Rejects while the broker is away. */
  readonly look: () => Promise<Progress[]>;
  readonly onStall: ((stall: Stall) => void) | undefined;
  readonly logger: Logger;
  readonly counters: MessagingCounters;
}

/**
 * Looks at a consumer's progress several times per `stallMs` and reports a stall. Every client of Kafka stands still
 * silently sometimes, with its heartbeats going on; only progress proves life. A handler that fails is alive, one that
 * does not return is not.
 * @returns a function that ends it
 */
export function startWatchdog(options: WatchdogOptions): () => void {
  const watch = new ProgressWatch(options.stallMs);
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    if (isStopped) return;
    timer = setTimeout(() => void inspect(watch, options, () => isStopped).finally(again), options.stallMs / 6);
    timer.unref();
  };
  again();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

async function inspect(watch: ProgressWatch, options: WatchdogOptions, isStopped: () => boolean): Promise<void> {
  const progresses = await options.look().catch(() => undefined);
  if (!progresses) return watch.forget();
  const { topic, group, logger, counters } = options;
  counters.lag.set({ topic, group }, sum(progresses));
  const partitions = watch.observe(performance.now(), progresses);
  if (partitions.length === 0 || isStopped()) return;
  counters.stalled.inc({ topic });
  logger.error({ topic, group, partitions, stallMs: options.stallMs }, 'consumer.stalled');
  options.onStall?.({ topic, group, partitions });
}

function sum(progresses: readonly Progress[]): number {
  return progresses.reduce((total, { lag }) => total + Math.max(0, lag), 0);
}

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
