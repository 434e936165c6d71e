import type { BatchKey } from '@sluice/store';
import { repeat } from '@sluice/telemetry';
import type { BatcherContext } from './context';
import type { FlushBatch } from './flush-batch';

/** Error of a flush that no message and no timer woke. */
const everyMs = 500;
/** Batches of one sweep; the next one continues with the rest. */
const batchesPerSweep = 200;
/** Flushes at the same time: they share the pool with the consumer. */
const flushesAtOnce = 4;
/** How long a batch that could not be flushed is passed over, so that it does not stand before the others. */
const passOverMs = 10_000;

/** Flushes what is due or full and was not announced. Returns a function that ends it, after the flushes in hand. */
export function sweepDue(context: BatcherContext, flush: FlushBatch): () => Promise<void> {
  if (!context.config.sweeps) return () => Promise.resolve();
  const passedOver = new Map<string, number>();
  const findings = context.metrics.counter('sluice_sweep_findings_total').labels({ sweep: 'batches' });

  const flushOne = async (key: BatchKey): Promise<void> => {
    try {
      await flush(key, 'sweep');
      passedOver.delete(key.operationId);
    } catch (error) {
      passedOver.set(key.operationId, performance.now() + passOverMs);
      context.logger.error({ error, operationId: key.operationId }, 'batch.flush-failed');
    }
  };
  const sweep = async (isEnded: () => boolean): Promise<void> => {
    const found = await context.store.writes.findDueBatches(batchesPerSweep + passedOver.size);
    const due = found.filter(({ operationId }) => (passedOver.get(operationId) ?? 0) < performance.now());
    findings.inc(due.length);
    const next = due.values();
    const work = async (): Promise<void> => {
      for (const key of next) if (!isEnded()) await flushOne(key);
    };
    await Promise.all(Array.from({ length: flushesAtOnce }, work));
  };
  const onFailure = (error: unknown) => context.logger.warn({ error }, 'batch.sweep-failed');
  return repeat(sweep, { everyMs, onFailure });
}
