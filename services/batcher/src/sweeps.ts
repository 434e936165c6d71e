import type { BatchKey } from '@sluice/store';
import { repeat } from '@sluice/telemetry';
import type { BatcherContext } from './context';
import { flushBatch } from './flush-batch';

/** How late a flush may be that no message and no timer woke. */
const dueEveryMs = 500;
/** Batches of one sweep; the next one continues with the rest. */
const batchesPerSweep = 200;
/** Flushes at the same time: they share the pool with the consumer. */
const flushesAtOnce = 4;
/** How long a batch that could not be flushed is passed over, so that it does not stand before the others. */
const passOverMs = 10_000;

/** Flushes what is due or full and was not announced. Returns a function that ends it, after the flushes in hand. */
export function sweepDue(context: BatcherContext): () => Promise<void> {
  if (!context.config.sweeps) return () => Promise.resolve();
  const passedOver = new Map<string, number>();
  const findings = context.metrics.counter('sluice_sweep_findings_total').labels({ sweep: 'batches' });

  const flushOne = async (key: BatchKey): Promise<void> => {
    try {
      await flushBatch(context, key, 'sweep');
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
  return repeat(sweep, { everyMs: dueEveryMs, onFailure });
}

/** How often old rows are looked for. A key lives 72 hours; a minute more or less is nothing. */
const oldEveryMs = 60_000;
/** Rows of one statement: short enough to hold up nobody. */
const rowsPerStatement = 1_000;

/**
 * Deletes idempotency keys that are older than 72 hours, and the answers of joining statements that nobody asks for any more. It also deletes minutes
 * that no chart of the console reaches. Any number of batchers may do so: each takes rows that the others have not locked. A key that is too old
 * counts as absent before it is deleted. Returns a function that ends it.
 */
export function sweepKeys({ config, store, logger, metrics }: BatcherContext): () => Promise<void> {
  if (!config.sweeps) return () => Promise.resolve();
  const findings = metrics.counter('sluice_sweep_findings_total').labels({ sweep: 'keys' });
  const sweep = async (isEnded: () => boolean): Promise<void> => {
    for (let deleted = rowsPerStatement; deleted === rowsPerStatement && !isEnded();) {
      deleted = await store.writes.sweepKeys(rowsPerStatement);
      findings.inc(deleted);
    }
    for (let deleted = rowsPerStatement; deleted === rowsPerStatement && !isEnded();)
      deleted = await store.writes.sweepFlushes(rowsPerStatement);
    for (let deleted = rowsPerStatement; deleted === rowsPerStatement && !isEnded();)
      deleted = await store.minutes.purge(rowsPerStatement);
  };
  const onFailure = (error: unknown) => logger.warn({ error }, 'keys.sweep-failed');
  return repeat(sweep, { everyMs: oldEveryMs, isFirstNow: true, onFailure });
}
