import { repeat } from '@sluice/telemetry';
import type { BatcherContext } from './context';

/** How often old rows are looked for. A key lives 72 hours; a minute more or less is nothing. */
const everyMs = 60_000;
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
  return repeat(sweep, { everyMs, isFirstNow: true, onFailure });
}
