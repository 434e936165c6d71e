import type { BatcherContext } from './context';
import type { FlushBatch } from './flush-batch';

/** Error of a flush that no message and no timer woke. Source: design, section 5.7. */
const everyMs = 500;
/** Batches of one sweep; the next one goes on with the rest. */
const batchesPerSweep = 200;

/** Flushes what is due or full and was not announced. Returns a function that ends it. */
export function sweepDue(context: BatcherContext, flush: FlushBatch): () => void {
  if (!context.config.sweeps) return () => undefined;
  let running: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      for (const key of await context.store.writes.findDueBatches(batchesPerSweep)) await flush(key, 'sweep');
    } catch (error) {
      context.logger.warn({ error }, 'batch.sweep-failed');
    }
  };
  const timer = setInterval(() => {
    running ??= sweep().finally(() => (running = undefined));
  }, everyMs);
  return () => clearInterval(timer);
}
