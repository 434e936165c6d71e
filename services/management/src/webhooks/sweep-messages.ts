import type { ManagementContext } from '../context';

/** How often it is looked: a scraper asks every 15 s. */
const everyMs = 10_000;
/** Looks between two purges: an hour. */
const looksPerPurge = 360;
/** Messages of one statement. */
const messagesPerRound = 1_000;
/** Failing endpoints are counted so far: whoever looks wants to know whether it is one or many. */
const failingMax = 1_000;

/**
 * Shows how late deliveries are and how many endpoints fail, gives up what waits for disabled endpoints, and deletes messages whose
 * retention is over, and uploads whose hour is. Any number of processes may do so. Returns a function that ends it.
 */
export function sweepMessages({ config, logger, metrics, store }: ManagementContext): () => Promise<void> {
  const oldest = metrics.gauge('sluice_webhook_oldest_due_seconds');
  const unserved = metrics.gauge('sluice_webhook_longest_unserved_seconds');
  const failing = metrics.gauge('sluice_webhook_failing_endpoints');
  let looks = 0;
  let isEnded = false;
  let running: Promise<void> | undefined;

  const inRounds = async (round: (limit: number) => Promise<number>): Promise<void> => {
    if (isEnded) return;
    if ((await round(messagesPerRound)) === messagesPerRound) await inRounds(round);
  };
  const sweep = async (): Promise<void> => {
    const late = await store.webhookMessages.lateness();
    oldest.set(late.oldestDue);
    unserved.set(late.longestUnserved);
    failing.set(await store.webhookMessages.countFailing(failingMax));
    await inRounds((limit) => store.webhookMessages.giveUp(limit));
    if (looks++ % looksPerPurge !== 0) return;
    await inRounds((limit) => store.webhookMessages.purge(config.retentionDays, limit));
    await inRounds((limit) => store.uploads.purge(limit));
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
