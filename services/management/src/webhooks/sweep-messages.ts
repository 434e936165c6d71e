import type { ManagementContext } from '../context';

/** How often it is looked: a scraper asks every 15 s. */
const everyMs = 10_000;
/** Looks between two purges: an hour. */
const looksPerPurge = 360;
/** Messages of one statement. */
const messagesPerPurge = 1_000;

/**
 * Shows how late the oldest message is, and deletes messages whose retention is over. Any number of processes may do so. Returns a
 * function that ends it.
 */
export function sweepMessages({ config, logger, metrics, store }: ManagementContext): () => Promise<void> {
  const oldest = metrics.gauge('sluice_webhook_oldest_due_seconds');
  let looks = 0;
  let isEnded = false;
  let running: Promise<void> | undefined;

  const purge = async (): Promise<void> => {
    if (isEnded) return;
    const purged = await store.webhookMessages.purge(config.retentionDays, messagesPerPurge);
    if (purged === messagesPerPurge) await purge();
  };
  const sweep = async (): Promise<void> => {
    oldest.set(await store.webhookMessages.oldestDueSeconds());
    if (looks++ % looksPerPurge === 0) await purge();
  };
  const run = (): void => {
    running ??= sweep()
      .catch((error: unknown) => logger.warn({ error }, 'webhook.sweep-failed'))
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
