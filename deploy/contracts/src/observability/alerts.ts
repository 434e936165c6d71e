/**
 * The alerts: symptoms that a person must check, whatever their cause. One definition for the rules file, the chart and the rehearsal
 * (tests/flows/alerts), which runs them with every time divided by a scale.
 */

/** Lengths of time in an expression, divided by the scale of a rehearsal. */
export interface Times {
  /** A range or offset of PromQL: `5m`. */
  readonly range: (seconds: number) => string;
  /** A number of seconds that a metric is compared with. */
  readonly seconds: (seconds: number) => string;
}

export interface Alert {
  readonly name: string;
  /** `critical`: somebody is woken up. `warning`: in working hours. */
  readonly severity: 'critical' | 'warning';
  /** One sentence for whoever is woken up; `{{ $value }}` is what the expression gave. */
  readonly summary: string;
  /** Name of its page in docs/runbooks. */
  readonly runbook: string;
  /** How long it must be true before it fires. */
  readonly forSeconds: number;
  readonly expr: (times: Times) => string;
}

const services = ['management', 'search', 'write-gateway', 'batcher', 'executor'] as const;
/** Requests of builders, without the probes. */
const ofBuilders = 'service="write-gateway",route=~"/v1/.*"';

export const alerts: readonly Alert[] = [
  {
    name: 'SluiceServiceDown',
    severity: 'critical',
    summary: 'No process of {{ $labels.service }} shows its metrics.',
    runbook: 'service-down',
    forSeconds: 120,
    // Named by a metric of ours and not by `up`: job names belong to whoever runs Prometheus.
    expr: () =>
      services
        .map((service) => `absent(sluice_database_connections{service="${service}",state="used"})`)
        .join('\nor\n'),
  },
  {
    name: 'SluiceAcceptErrors',
    severity: 'critical',
    summary: '{{ $value | humanizePercentage }} of the requests to the write gateway fail for a fault of ours.',
    runbook: 'accept-errors',
    forSeconds: 120,
    // One in a hundred: a restart of the database costs less than that over five minutes.
    expr: ({ range }) =>
      `sum(rate(sluice_http_failures_total{${ofBuilders}}[${range(300)}]))\n` +
      `/ sum(rate(sluice_http_request_duration_seconds_count{${ofBuilders}}[${range(300)}])) > 0.01`,
  },
  {
    name: 'SluiceOldestReadyAge',
    severity: 'critical',
    summary: 'A write that could be sent has waited {{ $value | humanizeDuration }}, in a lane where nothing runs.',
    runbook: 'oldest-ready-age',
    forSeconds: 120,
    // Only lanes where nothing runs: a customer whose account is slow waits without a fault of ours. A sweep finds a lane within 2 s.
    expr: ({ seconds }) => `max(sluice_oldest_ready_seconds{lane="idle"}) > ${seconds(60)}`,
  },
  {
    name: 'SluiceDeadlineMisses',
    severity: 'critical',
    summary: '{{ $value | humanize }} records of {{ $labels.provider }} missed their retry deadline.',
    runbook: 'deadline-misses',
    forSeconds: 60,
    // More than a handful: a single customer who used up a quota is no alarm, but cannot be distinguished below this.
    expr: ({ range }) => `sum by (provider) (increase(sluice_deadline_misses_total[${range(900)}])) > 10`,
  },
  {
    name: 'SluiceBadCredentials',
    severity: 'critical',
    summary: '{{ $value | humanize }} connections turned bad_credentials within a quarter of an hour.',
    runbook: 'bad-credentials',
    forSeconds: 60,
    // Customers who revoke one by one do not come five in a quarter of an hour; a dead provider app does.
    expr: ({ range }) => `sum(increase(sluice_bad_credentials_total[${range(900)}])) > 5`,
  },
  {
    name: 'SluiceQuarantine',
    severity: 'critical',
    summary: '{{ $value }} calls were taken out within the last hour, each after four crashes of an executor.',
    runbook: 'quarantine',
    forSeconds: 0,
    expr: () => 'max(sluice_quarantined_calls) > 0',
  },
  {
    name: 'SluiceBacklogNotSampled',
    severity: 'warning',
    summary:
      'Nobody has looked at the backlog for {{ $value | humanizeDuration }}: its age and the quarantine are not known.',
    runbook: 'backlog-not-sampled',
    forSeconds: 120,
    // A sweep over 100,000 lanes takes less than two minutes (batcher, sample-backlog.ts).
    expr: ({ seconds }) => `time() - max(sluice_backlog_sampled_timestamp_seconds) > ${seconds(300)}`,
  },
  {
    name: 'SluiceNotificationsLate',
    severity: 'warning',
    summary: 'A webhook endpoint with a notification to deliver has got none for {{ $value | humanizeDuration }}.',
    runbook: 'notifications-late',
    forSeconds: 120,
    // Nothing is lost, and callers that poll see it: in working hours. Management checks every second, and a process that dies holds an endpoint
    // for 35 s: more is ours. How old a backlog is that is being delivered is its receiver's matter.
    expr: ({ seconds }) => `max(sluice_webhook_longest_unserved_seconds) > ${seconds(120)}`,
  },
  {
    name: 'SluiceDependencyDegraded',
    severity: 'warning',
    summary: '{{ $labels.dependency }} takes no writes of {{ $labels.service }}, which works on, slower or later.',
    runbook: 'dependency-degraded',
    forSeconds: 120,
    // Twelve checks: a failover of either takes less. Of Postgres SluiceAcceptErrors tells.
    expr: () => 'min by (service, dependency) (sluice_dependency_up{dependency!="postgres"}) < 1',
  },
];

/** Where the pages are. The chart replaces it with the address of a copy (`prometheusRule.runbookBaseUrl`). */
const runbookFolder = 'docs/runbooks';

/**
 * The rules file of Prometheus.
 * @param scale divides every length of time: with 60 a minute is a second, and an alert can be seen to fire. @default 1
 */
export function renderRules(scale = 1): string {
  const rules = alerts.map((alert) => renderAlert(alert, timesAt(scale), scale));
  return `groups:\n  - name: sluice\n    rules:\n${rules.join('')}`;
}

/** A text in double quotes is the same in JSON and in YAML. */
const quoted = (text: string): string => JSON.stringify(text);

function renderAlert(
  { name, severity, summary, runbook, forSeconds, expr }: Alert,
  times: Times,
  scale: number,
): string {
  const lines = expr(times)
    .split('\n')
    .map((line) => `          ${line}\n`);
  return (
    `      - alert: ${name}\n` +
    `        expr: |\n${lines.join('')}` +
    `        for: ${durationOf(forSeconds / scale)}\n` +
    `        labels:\n          severity: ${severity}\n` +
    `        annotations:\n` +
    `          summary: ${quoted(summary)}\n` +
    `          runbook_url: ${quoted(`${runbookFolder}/${runbook}.md`)}\n`
  );
}

function timesAt(scale: number): Times {
  return { range: (seconds) => durationOf(seconds / scale), seconds: (seconds) => String(seconds / scale) };
}

/** As Prometheus writes it, with the largest unit that leaves no fraction. */
function durationOf(seconds: number): string {
  if (seconds % 60 === 0 && seconds > 0) return `${seconds / 60}m`;
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1_000)}ms`;
}
