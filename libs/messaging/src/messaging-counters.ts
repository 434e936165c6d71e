import type { Counter, Gauge, Metrics } from '@sluice/telemetry';

/** Why an announcement was not sent. */
export type DropReason = 'buffer-full' | 'broker-away' | 'send-failed' | 'too-large' | 'closed';

/** What both implementations count, under the same names. */
export interface MessagingCounters {
  readonly dropped: Counter<'sluice_announcements_dropped_total'>;
  readonly sent: Counter<'sluice_announcements_sent_total'>;
  readonly undecodable: Counter<'sluice_messages_undecodable_total'>;
  readonly redelivered: Counter<'sluice_message_redeliveries_total'>;
  readonly passedOver: Counter<'sluice_messages_passed_over_total'>;
  readonly restarted: Counter<'sluice_consumer_restarts_total'>;
  readonly stalled: Counter<'sluice_consumer_stalls_total'>;
  readonly lag: Gauge<'sluice_consumer_lag'>;
}

/** The counters of one service; asking again gives the same ones. */
export function messagingCounters(metrics: Metrics): MessagingCounters {
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
