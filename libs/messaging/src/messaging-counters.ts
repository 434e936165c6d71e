import type { Metrics, Logger } from '@sluice/telemetry';
import type { Topic } from './topics';

/** Why an announcement was not sent. */
export type DropReason = 'buffer-full' | 'broker-away' | 'send-failed' | 'too-large' | 'closed';

/** What both implementations count, under the same names. */
export type MessagingCounters = ReturnType<typeof messagingCounters>;

/** The counters of one service; always the same ones for the same `metrics`. */
export function messagingCounters(metrics: Metrics) {
  return {
    dropped: metrics.counter('sluice_announcements_dropped_total'),
    sent: metrics.counter('sluice_announcements_sent_total'),
    undecodable: metrics.counter('sluice_messages_undecodable_total'),
    redelivered: metrics.counter('sluice_message_redeliveries_total'),
    passedOver: metrics.counter('sluice_messages_passed_over_total'),
    restarted: metrics.counter('sluice_consumer_restarts_total'),
    stalled: metrics.counter('sluice_consumer_stalls_total'),
    lag: metrics.gauge('sluice_consumer_lag'),
  };
}

/** What a message names that does not exist. */
type OrphanNames = Readonly<Record<'projectId' | 'operationId' | 'laneId', string>>;

/** Names that were logged are remembered up to this many: forged messages must fill neither the log nor the memory. */
const namesMax = 10_000;

/**
 * Counts messages that name something that does not exist, and logs each name once. Nothing else follows from them: an announcement
 * is a hint, and what does not exist needs no work.
 * @returns to be called with the names in a message of the topic that do not exist
 */
export function orphanMessages(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  topic: Topic,
): (names: Partial<OrphanNames>) => void {
  const counter = metrics.counter('sluice_messages_stray_total');
  const logged = new Set<string>();
  return (names) => {
    counter.inc({ topic: topic.name });
    const id = JSON.stringify(names);
    if (logged.has(id) || logged.size >= namesMax) return;
    logged.add(id);
    logger.warn({ topic: topic.name, ...names }, 'message.orphan');
  };
}
