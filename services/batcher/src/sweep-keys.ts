import type { BatcherContext } from './context';

/** How often old keys are looked for. A key lives 72 hours; a minute more or less is nothing. */
const everyMs = 60_000;
/** Keys of one statement: short enough to hold up nobody. */
const keysPerStatement = 1_000;

/**
 * Deletes idempotency keys that are older than 72 hours. Any number of batchers may do so: each takes rows that the others have not
 * locked. A key that is too old counts as absent before it is deleted. Returns a function that ends it.
 */
export function sweepKeys({ config, store, logger, metrics }: BatcherContext): () => Promise<void> {
  if (!config.sweeps) return () => Promise.resolve();
  const findings = metrics.counter('sluice_sweep_findings_total').labels({ sweep: 'keys' });
  let running: Promise<void> | undefined;
  let isEnded = false;

  const sweep = async (): Promise<void> => {
    if (isEnded) return;
    const deleted = await store.writes.sweepKeys(keysPerStatement);
    findings.inc(deleted);
    if (deleted === keysPerStatement) await sweep();
  };
  const run = (): void => {
    running ??= sweep()
      .catch((error: unknown) => logger.warn({ error }, 'keys.sweep-failed'))
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  return async () => {
    isEnded = true;
    clearInterval(timer);
    await running;
  };
}
