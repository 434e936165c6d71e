import { type Panel, quantiles, rates } from './panel';

const ofBuilders = 'service="write-gateway",route=~"/v1/.*"';

/** The way of a write, from its acceptance to its end. */
export const writePanels: readonly Panel[] = [
  {
    title: 'Records accepted',
    description: 'By mode. What is accepted is never lost; it may wait.',
    unit: 'ops',
    lines: rates('mode', 'sluice_writes_accepted_total'),
  },
  {
    title: 'Records settled',
    description: 'By outcome; `again` is a try that will be repeated.',
    unit: 'ops',
    lines: rates('outcome', 'sluice_records_settled_total'),
  },
  {
    title: 'Failures by provider and class',
    description: "Failed and unknown outcomes. One provider alone: its fault, or its customers'. All of them: ours.",
    unit: 'ops',
    lines: rates('provider, class', 'sluice_records_settled_total{outcome=~"failed|unknown"}'),
  },
  {
    title: 'Oldest ready write',
    description: 'Lanes where nothing runs should stay below a few seconds; a working lane may be a slow account.',
    unit: 's',
    lines: [['max by (lane) (sluice_oldest_ready_seconds)', '{{lane}}']],
  },
  {
    title: 'Lanes in which calls wait',
    description: 'Blocked: their provider refused a call. Held: refused credentials, or a moment to come.',
    unit: 'short',
    lines: [['max by (state) (sluice_waiting_lanes)', '{{state}}']],
  },
  {
    title: 'Backlog last looked at',
    description: 'How old the two pictures before this one are.',
    unit: 's',
    lines: [['time() - max(sluice_backlog_sampled_timestamp_seconds)', 'age']],
  },
  {
    title: 'Accept duration',
    description: 'The accepting statement, with its wait for others to share it.',
    unit: 's',
    lines: quantiles([0.5, 0.99], 'mode', 'sluice_accept_duration_seconds_bucket'),
  },
  {
    title: 'Accepts that fail for a fault of ours',
    description: 'Part of the requests of builders to the write gateway: replies 500 and 503.',
    unit: 'percentunit',
    lines: [
      [
        `sum(rate(sluice_http_failures_total{${ofBuilders}}[$window])) / ` +
          `sum(rate(sluice_http_request_duration_seconds_count{${ofBuilders}}[$window]))`,
        'failing',
      ],
    ],
  },
  {
    title: 'Refused: backlog full',
    description: 'Writes answered 429 because too much of their project waits.',
    unit: 'ops',
    lines: [['sum(rate(sluice_admission_refusals_total[$window]))', 'refused']],
  },
  {
    title: 'Claims by source',
    description: 'Under normal load nearly all come from messages. Sweeps take over when Kafka is away.',
    unit: 'ops',
    lines: rates('source', 'sluice_claims_total'),
  },
  {
    title: 'Batches flushed',
    description: 'By what woke the flush: a message (full), a timer (due), a sweep (nobody told).',
    unit: 'ops',
    lines: rates('source', 'sluice_batches_flushed_total'),
  },
  {
    title: 'Batch fill',
    description: 'Records of a batch when it is flushed; 100 is full.',
    unit: 'short',
    lines: quantiles([0.1, 0.5, 0.9], '', 'sluice_batch_fill_records_bucket'),
  },
  {
    title: 'Found by sweeps',
    description: 'What no message announced, or what was over.',
    unit: 'ops',
    lines: rates('sweep', 'sluice_sweep_findings_total'),
  },
  {
    title: 'Deadlines missed',
    description: 'Records that ended unwritten because there was no time for another try.',
    unit: 'ops',
    lines: rates('provider', 'sluice_deadline_misses_total'),
  },
  {
    title: 'Quarantined within the last hour',
    description: 'Calls that crashed an executor four times, the last two alone.',
    unit: 'short',
    lines: [['max(sluice_quarantined_calls)', 'calls']],
  },
  {
    title: 'Notifications attempted',
    description: 'By what became of the attempt. What is not delivered is tried again for two days.',
    unit: 'ops',
    lines: rates('class', 'sluice_webhook_attempts_total'),
  },
  {
    title: 'Notifications ended',
    description:
      'Delivered, or failed after every attempt; and the endpoints that were disabled: after a week of failures, or because they are gone.',
    unit: 'ops',
    lines: [
      ...rates('outcome', 'sluice_webhook_messages_total'),
      ['sum(rate(sluice_webhook_endpoints_disabled_total[$window]))', 'endpoints disabled'],
    ],
  },
  {
    title: 'Notifications late',
    description:
      'How long the oldest one waits that is due and nobody has; and how long an endpoint with one has got nothing. Only the first: a receiver has come back to its backlog, or answers more slowly than its project writes. Both: nobody delivers.',
    unit: 's',
    lines: [
      ['max(sluice_webhook_oldest_due_seconds)', 'oldest due'],
      ['max(sluice_webhook_longest_unserved_seconds)', 'longest unserved'],
    ],
  },
  {
    title: 'Webhook endpoints that fail',
    description: 'Those whose last attempt failed. One: its receiver. Many at once: the way out of this cluster.',
    unit: 'short',
    lines: [['max(sluice_webhook_failing_endpoints)', 'endpoints']],
  },
];
