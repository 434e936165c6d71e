/**
 * Every metric: its name, its meaning and its labels. Code requests a metric by its name, so one that is not here does not compile;
 * docs/metrics.md is generated from this table. Each also carries the label `service`.
 *
 * A label is a closed set of words, or a set that only the operator's installation can make longer (`open`): never an id, a name or a
 * value of a customer. Durations are in seconds and end in `_seconds`, counters in `_total`.
 */
import { failureClasses } from '@sluice/errors';

const open = {
  provider: { from: 'the catalogue of providers' },
  accountOf: { from: 'the catalogue of providers, or unknown: it ended before its connection was read' },
  operation: { from: 'the operations of the connectors' },
  route: { from: 'the route templates of the service, or unmatched' },
  topic: { from: 'the topics' },
  group: { from: 'the consumer groups' },
} as const;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'other'] as const;
const modes = ['synchronous', 'asynchronous', 'auto-batched'] as const;
const outcomes = ['succeeded', 'failed', 'unknown', 'again'] as const;
/** With the reasons for which a record is ended without an attempt. `none`: nothing failed. */
const failures = [...failureClasses, 'deadline', 'cancelled', 'quarantined', 'none'] as const;

/** The limit of everything, and that of searches alone, where a provider has one. */
const quotas = ['account', 'search'] as const;

/** Seconds. From a local accept (about 1 ms) to the longest provider call with its wait (60 s). */
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

export const metricTable = {
  sluice_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the request head to the end of the reply; its count is the number of requests.',
    labels: { method: methods, route: open.route, status: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
    buckets: seconds,
  },
  sluice_http_failures_total: {
    kind: 'counter',
    help: 'Requests that failed because of Sluice itself: replies 500 and 503. A failing provider (502, 504) is not counted.',
    labels: { route: open.route },
  },
  sluice_writes_accepted_total: { kind: 'counter', help: 'Records accepted.', labels: { mode: modes } },
  sluice_accept_duration_seconds: {
    kind: 'histogram',
    help: 'Time that the accepting statement of a write took, with its wait for others to share it.',
    labels: { mode: modes },
    buckets: seconds,
  },
  sluice_admission_refusals_total: {
    kind: 'counter',
    help: 'Writes refused because the backlog of their project or of their group is full.',
    labels: {},
  },
  sluice_records_settled_total: {
    kind: 'counter',
    help: 'Records settled after an attempt, or ended without one; `again`: to be tried again.',
    labels: { provider: open.accountOf, outcome: outcomes, class: failures },
  },
  sluice_deadline_misses_total: {
    kind: 'counter',
    help: 'Records that ended unwritten because their retry deadline had passed, or would before the next try.',
    labels: { provider: open.accountOf },
  },
  sluice_lane_blocked_seconds_total: {
    kind: 'counter',
    help: 'Time for which provider accounts were blocked after refusing a call, summed up as each block begins.',
    labels: { provider: open.provider },
  },
  sluice_quota_refusals_total: {
    kind: 'counter',
    help: 'Calls that were not made because the quota of their account was spent. A search that waits for quota counts at each try.',
    labels: { provider: open.provider, quota: quotas },
  },
  sluice_quota_left_ratio: {
    kind: 'histogram',
    help: "Part of an account's burst limit that is left when a call takes from it, counted over all processes; 0: refused.",
    labels: { provider: open.provider, quota: quotas },
    buckets: [0, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1],
  },
  sluice_provider_daily_usage_ratio: {
    kind: 'histogram',
    help: 'Used part of the daily calls of an account, as its replies state it.',
    labels: { provider: open.provider },
    buckets: [0.25, 0.5, 0.75, 0.8, 0.9, 0.95, 0.99, 1],
  },
  sluice_provider_calls_total: {
    kind: 'counter',
    help: 'Calls to providers, by result: ok or a failure class.',
    labels: { provider: open.provider, operation: open.operation, result: ['ok', ...failureClasses] },
  },
  sluice_provider_call_seconds: {
    kind: 'histogram',
    help: 'Duration of calls to providers.',
    labels: { provider: open.provider, operation: open.operation },
    buckets: seconds,
  },
  sluice_bad_credentials_total: {
    kind: 'counter',
    help: 'Connections that turned bad_credentials.',
    labels: {},
  },
  sluice_token_refreshes_total: {
    kind: 'counter',
    help: 'Access tokens requested. `refused`: the grant is gone; `failed`: the provider did not answer, or refused the app.',
    labels: { provider: open.provider, result: ['refreshed', 'refused', 'failed'] },
  },
  sluice_claims_total: {
    kind: 'counter',
    help: 'Calls claimed, by what woke their lane.',
    labels: { source: ['message', 'timer', 'sweep', 'lapse'] },
  },
  sluice_sweep_findings_total: {
    kind: 'counter',
    help: 'What sweeps found that no message announced, or that was over: lanes, calls, batches, plans, operations, keys.',
    labels: {
      sweep: [
        'ready',
        'lapse',
        'isolated',
        'overdue',
        'cancelled',
        'order',
        'retention',
        'operations',
        'batches',
        'keys',
      ],
    },
  },
  sluice_batches_flushed_total: {
    kind: 'counter',
    help: 'Auto-batches flushed, by what woke the flush.',
    labels: { source: ['message', 'timer', 'sweep'] },
  },
  sluice_batch_fill_records: {
    kind: 'histogram',
    help: 'Records of an auto-batch when it is flushed.',
    labels: {},
    buckets: [1, 2, 5, 10, 25, 50, 75, 99, 100],
  },
  sluice_oldest_ready_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest call that could be claimed, by its lane: `idle`, nothing of it runs; `working`, it has calls running.',
    labels: { lane: ['idle', 'working'] },
  },
  sluice_waiting_lanes: {
    kind: 'gauge',
    help: 'Lanes in which calls wait: ready, blocked by their provider, or held back because credentials are refused or their moment is to come.',
    labels: { state: ['ready', 'blocked', 'held'] },
  },
  sluice_quarantined_calls: {
    kind: 'gauge',
    help: 'Calls quarantined within the last hour, counted up to 1,000.',
    labels: {},
  },
  sluice_backlog_sampled_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the three metrics above it were last complete, as Unix time. They do not change while the database does not answer.',
    labels: {},
  },
  sluice_webhook_attempts_total: {
    kind: 'counter',
    help: 'Attempts to deliver a notification, by what became of them.',
    labels: { class: ['delivered', 'refused', 'timeout', 'unreachable', 'forbidden-address', 'not-signed'] },
  },
  sluice_webhook_messages_total: {
    kind: 'counter',
    help: 'Notifications that ended: delivered, or failed after all attempts.',
    labels: { outcome: ['delivered', 'failed'] },
  },
  sluice_webhook_endpoints_disabled_total: {
    kind: 'counter',
    help: 'Webhook endpoints that were disabled because all attempts of a week failed, or because their receiver answered 410 Gone.',
    labels: { reason: ['failing', 'gone'] },
  },
  sluice_webhook_oldest_due_seconds: {
    kind: 'gauge',
    help: 'How long ago the oldest undelivered notification came due; 0: none. A notification that waits for its next attempt is not due, and one for an endpoint that fails or requested a pause does not count.',
    labels: {},
  },
  sluice_webhook_longest_unserved_seconds: {
    kind: 'gauge',
    help: 'How long a webhook endpoint with a notification due has had no recorded delivery, exact to ten seconds; 0: none is due. An endpoint that fails or requested a pause does not count, and a backlog that is being delivered does not, however old.',
    labels: {},
  },
  sluice_webhook_failing_endpoints: {
    kind: 'gauge',
    help: 'Webhook endpoints whose last attempt failed, counted up to 1,000. Those that are disabled are not among them.',
    labels: {},
  },
  sluice_database_connections: {
    kind: 'gauge',
    help: 'Connections of the pool: in use and free; `waiting`: statements that wait for one.',
    labels: { state: ['used', 'free', 'waiting'] },
  },
  sluice_dependency_up: {
    kind: 'gauge',
    help: 'Whether a dependency took a write at the last check, at most ten seconds ago: 1 or 0. Postgres decides readiness; without the others the service is degraded.',
    labels: { dependency: ['postgres', 'redis', 'kafka'] },
  },
  sluice_redis_failures_total: {
    kind: 'counter',
    help: 'Commands to Redis without a reply, replaced by a miss or a local count.',
    labels: { reason: ['timeout', 'connection', 'reply'] },
  },
  sluice_announcements_sent_total: {
    kind: 'counter',
    help: 'Writes announced by a message.',
    labels: { topic: open.topic },
  },
  sluice_announcements_dropped_total: {
    kind: 'counter',
    help: 'Writes no message announced, left to a sweep.',
    labels: {
      topic: open.topic,
      reason: ['buffer-full', 'broker-away', 'send-failed', 'too-large', 'closed'],
    },
  },
  sluice_messages_undecodable_total: {
    kind: 'counter',
    help: 'Messages that are foreign or damaged; skipped.',
    labels: { topic: open.topic },
  },
  sluice_messages_stray_total: {
    kind: 'counter',
    help: 'Announcements of something that does not exist; nothing was done for them.',
    labels: { topic: open.topic },
  },
  sluice_message_redeliveries_total: {
    kind: 'counter',
    help: 'Deliveries repeated because the handler failed.',
    labels: { topic: open.topic },
  },
  sluice_messages_passed_over_total: {
    kind: 'counter',
    help: 'Deliveries given up because the handler failed repeatedly.',
    labels: { topic: open.topic },
  },
  sluice_consumer_restarts_total: {
    kind: 'counter',
    help: 'Times a consumer was rebuilt after its connection ended.',
    labels: { topic: open.topic },
  },
  sluice_consumer_stalls_total: {
    kind: 'counter',
    help: 'Times a consumer with messages to read made no progress.',
    labels: { topic: open.topic },
  },
  sluice_consumer_lag: {
    kind: 'gauge',
    help: 'Messages not yet finished, of the partitions this process reads.',
    labels: { topic: open.topic, group: open.group },
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

/** A set of label values that is not listed: where its members come from. */
interface OpenSet {
  readonly from: string;
}

export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: Readonly<Record<string, readonly string[] | OpenSet>>;
  /** Upper bounds of a histogram, ascending. */
  readonly buckets?: readonly number[];
}

type Table = typeof metricTable;
type NamesOf<K extends MetricRow['kind']> = { [N in keyof Table]: Table[N]['kind'] extends K ? N : never }[keyof Table];

export type MetricName = keyof Table;
export type CounterName = NamesOf<'counter'>;
export type GaugeName = NamesOf<'gauge'>;
export type HistogramName = NamesOf<'histogram'>;

/** The labels of one metric, each with the values it may have. */
export type LabelsOf<N extends MetricName> = {
  readonly [L in keyof Table[N]['labels']]: Table[N]['labels'][L] extends readonly (infer V)[] ? V : string;
};
