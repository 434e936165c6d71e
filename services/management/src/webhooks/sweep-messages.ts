import { repeat } from '@sluice/telemetry';
import type { ManagementContext } from '../context';

/** Pause between two sweeps: a scraper asks every 15 s. */
const everyMs = 10_000;
/** Sweeps between two purges: an hour. */
const sweepsPerPurge = 360;
/** Messages of one statement. */
const messagesPerStatement = 1_000;
/** Failing endpoints are counted up to this: an operator wants to know whether it is one or many. */
const failingMax = 1_000;

/**
 * Shows how late deliveries are and how many endpoints fail, and gives up messages that wait for disabled endpoints. It also deletes messages whose
 * retention is over, uploads whose hour is over, and connect sessions that ended a day ago. Any number of processes may do so. Returns a function that ends it.
 */
export function sweepMessages({ config, logger, metrics, store }: ManagementContext): () => Promise<void> {
  const oldest = metrics.gauge('sluice_webhook_oldest_due_seconds');
  const unserved = metrics.gauge('sluice_webhook_longest_unserved_seconds');
  const failing = metrics.gauge('sluice_webhook_failing_endpoints');
  let sweeps = 0;
  const sweep = async (isEnded: () => boolean): Promise<void> => {
    const all = async (some: (limit: number) => Promise<number>): Promise<void> => {
      while (!isEnded() && (await some(messagesPerStatement)) === messagesPerStatement);
    };
    const late = await store.webhookMessages.lateness();
    oldest.set(late.oldestDue);
    unserved.set(late.longestUnserved);
    failing.set(await store.webhookMessages.countFailing(failingMax));
    await all((limit) => store.webhookMessages.giveUp(limit));
    if (sweeps++ % sweepsPerPurge !== 0) return;
    await all((limit) => store.webhookMessages.purge(config.retentionDays, limit));
    await all((limit) => store.uploads.purge(limit));
    await all((limit) => store.connectSessions.purge(limit));
  };
  const onFailure = (error: unknown) => logger.warn({ error }, 'webhook.sweep-failed');
  return repeat(sweep, { everyMs, isFirstNow: true, onFailure });
}
