import type { Counter, Gauge, Metrics } from '@sluice/telemetry';

/** Why an announcement was not sent. */
export type DropReason = 'buffer-full' | 'broker-away' | 'send-failed' | 'too-large' | 'closed';

/** What both implementations count, under the same names. */
export interface MessagingCounters {
  /** Labels `topic`, `reason` (see DropReason). */
  readonly dropped: Counter;
  readonly sent: Counter;
  readonly undecodable: Counter;
  readonly redelivered: Counter;
  readonly passedOver: Counter;
  readonly restarted: Counter;
  readonly stalled: Counter;
  /** Labels `topic`, `group`. */
  readonly lag: Gauge;
}

/** The counters of one service; asking again gives the same ones. */
export function messagingCounters(metrics: Metrics): MessagingCounters {
  const perTopic = (name: string, help: string) => metrics.counter(`sluice_${name}`, help, ['topic']);
  return {
    dropped: metrics.counter('sluice_announcements_dropped_total', 'Writes no message announced, left to a sweep.', [
      'topic',
      'reason',
    ]),
    sent: perTopic('announcements_sent_total', 'Writes announced by a message.'),
    undecodable: perTopic('messages_undecodable_total', 'Messages that are not ours or are damaged; passed over.'),
    redelivered: perTopic('message_redeliveries_total', 'Deliveries repeated because the handler failed.'),
    passedOver: perTopic('messages_passed_over_total', 'Deliveries given up because the handler failed repeatedly.'),
    restarted: perTopic('consumer_restarts_total', 'Times a consumer was built anew after its connection ended.'),
    stalled: perTopic('consumer_stalls_total', 'Times a consumer with messages to read made no progress.'),
    lag: metrics.gauge('sluice_consumer_lag', 'Messages not yet finished, of the partitions this process reads.', [
      'topic',
      'group',
    ]),
  };
}
