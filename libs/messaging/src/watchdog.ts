import { repeat, type Logger } from '@sluice/telemetry';
import type { Stall } from './messaging';
import type { MessagingCounters } from './messaging-counters';

interface WatchdogOptions {
  readonly topic: string;
  readonly group: string;
  readonly stallMs: number;
  /** Of the partitions that this consumer answers for. Rejects while the broker is away. */
  readonly progress: () => Promise<Progress[]>;
  readonly onStall: ((stall: Stall) => void) | undefined;
  readonly logger: Logger;
  readonly counters: MessagingCounters;
}

/**
 * Checks a consumer's progress several times per `stallMs` and reports a stall. Every client of Kafka stops reading silently
 * sometimes, while its heartbeats go on; only progress proves that it works. A handler that fails makes progress, one that does
 * not return makes none.
 * @returns a function that ends it
 */
export function startWatchdog(options: WatchdogOptions): () => Promise<void> {
  const watch = new ProgressWatch(options.stallMs);
  const everyMs = options.stallMs / 6;
  return repeat((isStopped) => inspect(watch, options, isStopped), { everyMs, onFailure: () => undefined });
}

async function inspect(watch: ProgressWatch, options: WatchdogOptions, isStopped: () => boolean): Promise<void> {
  const progresses = await options.progress().catch(() => undefined);
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

/** One partition at one moment. */
export interface Progress {
  readonly partition: number;
  /** Messages not yet finished. */
  readonly lag: number;
  /** Anything that changes when work is done: the committed offset and the handler calls that ended. */
  readonly mark: string;
}

/** Distinguishes stalled from idle: a partition is stalled when it has messages and its mark did not change for `stallMs`. */
export class ProgressWatch {
  private readonly latest = new Map<number, { mark: string; sinceMs: number }>();

  constructor(private readonly stallMs: number) {}

  /**
   * @param nowMs of a monotonic clock
   * @returns partitions that stalled; each is reported again after another `stallMs`
   */
  observe(nowMs: number, progresses: readonly Progress[]): number[] {
    const present = new Set(progresses.map(({ partition }) => partition));
    for (const partition of this.latest.keys()) if (!present.has(partition)) this.latest.delete(partition);
    return progresses.filter((progress) => this.hasStalled(nowMs, progress)).map(({ partition }) => partition);
  }

  /** Starts over: without the lag it is not known who is stalled. */
  forget(): void {
    this.latest.clear();
  }

  private hasStalled(nowMs: number, { partition, lag, mark }: Progress): boolean {
    const before = this.latest.get(partition);
    if (lag > 0 && before?.mark === mark && nowMs - before.sinceMs < this.stallMs) return false;
    this.latest.set(partition, { mark, sinceMs: nowMs });
    return lag > 0 && before?.mark === mark;
  }
}
