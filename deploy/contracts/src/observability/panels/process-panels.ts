import { type Panel, quantiles, rates } from './panel';

const messages = (title: string, description: string, metric: string): Panel => ({
  title,
  description,
  unit: 'ops',
  lines: rates('topic', metric),
});

/** The processes and what they depend on. */
export const processPanels: readonly Panel[] = [
  {
    title: 'Requests by status',
    description: 'Of each service, probes included.',
    unit: 'reqps',
    lines: rates('service, status', 'sluice_http_request_duration_seconds_count'),
  },
  {
    title: 'Request duration by route',
    description: 'The time from the request head to the end of the reply.',
    unit: 's',
    lines: quantiles([0.99], 'service, route', 'sluice_http_request_duration_seconds_bucket'),
  },
  {
    title: 'Requests that fail for a fault of ours',
    description: 'Replies 500 and 503, by route.',
    unit: 'reqps',
    lines: rates('service, route', 'sluice_http_failures_total'),
  },
  {
    title: 'Database connections',
    description: 'waiting: statements for which the pool has none. They wait 2 s at most, then fail.',
    unit: 'short',
    lines: [['sum by (service, state) (sluice_database_connections)', '{{service}} {{state}}']],
  },
  {
    title: 'Event loop lag',
    description: 'p99 of a process. Past 100 ms it has no CPU left.',
    unit: 's',
    lines: [['max by (instance) (nodejs_eventloop_lag_p99_seconds)', '{{instance}}']],
  },
  {
    title: 'CPU',
    description: 'Cores in use.',
    unit: 'short',
    lines: [['rate(process_cpu_seconds_total[$window])', '{{instance}}']],
  },
  {
    title: 'Memory',
    description: 'Resident.',
    unit: 'bytes',
    lines: [['process_resident_memory_bytes', '{{instance}}']],
  },
  {
    title: 'Consumer lag',
    description: 'Messages not yet finished. A lag that only grows while claims go on is a stalled consumer.',
    unit: 'short',
    lines: [['sum by (topic, group) (sluice_consumer_lag)', '{{topic}} {{group}}']],
  },
  messages('Announcements sent', 'Writes announced by a message.', 'sluice_announcements_sent_total'),
  {
    title: 'Announcements dropped',
    description: 'Left to a sweep: later, never lost.',
    unit: 'ops',
    lines: rates('topic, reason', 'sluice_announcements_dropped_total'),
  },
  messages('Messages repeated', 'Their handler failed.', 'sluice_message_redeliveries_total'),
  messages(
    'Messages passed over',
    'Their handler failed repeatedly; a sweep does their work.',
    'sluice_messages_passed_over_total',
  ),
  messages('Messages not understood', 'Not ours, or damaged.', 'sluice_messages_undecodable_total'),
  messages('Messages of nothing', 'They name what does not exist.', 'sluice_messages_stray_total'),
  messages('Consumers built anew', 'Their connection had ended.', 'sluice_consumer_restarts_total'),
  messages(
    'Consumers stalled',
    'Messages to read, and no progress: the process ends and is replaced.',
    'sluice_consumer_stalls_total',
  ),
  {
    title: 'Redis without an answer',
    description: 'Each process then grants at most half of a quota by itself.',
    unit: 'ops',
    lines: rates('service, reason', 'sluice_redis_failures_total'),
  },
  {
    title: 'Dependencies that take writes',
    description:
      '1: so at the last check, ten seconds apart. Without Redis or Kafka everybody works on, slower or later.',
    unit: 'short',
    lines: [['min by (service, dependency) (sluice_dependency_up)', '{{service}} {{dependency}}']],
  },
];
