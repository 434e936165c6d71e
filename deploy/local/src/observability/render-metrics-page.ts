import { metricTable, type MetricRow } from '@sluice/telemetry';

const head = `# Metrics

What the services show at \`GET /metrics\` on the port of their metrics (\`SLUICE_METRICS_PORT\`: the port of the service plus 10), in the text format of Prometheus.
This page is made from \`libs/telemetry/src/metric-table.ts\` by \`npm run generate:client\`; a test says when one of them is behind, and another one compares the table with what running
processes show. Every metric also carries \`service\`.

Labels are closed sets of words. A set in italics can only be made longer by whoever runs Sluice (a provider, a route, a topic), never by a customer or a request.
Besides these, each process shows the metrics of Node.js: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_eventloop_lag_p99_seconds\`, \`nodejs_gc_duration_seconds\` and so on, once per
process, without \`service\`.

`;

/** docs/metrics.md: the table of metrics, for readers. */
export function renderMetricsPage(): string {
  return head + Object.entries<MetricRow>(metricTable).map(entryOf).join('');
}

function entryOf([name, { kind, help, labels }]: [string, MetricRow]): string {
  const lines = Object.entries(labels).map(
    ([label, values]) => `  - \`${label}\`: ${'from' in values ? `_${values.from}_` : values.join(', ')}\n`,
  );
  return `- \`${name}\` (${kind}): ${help}\n${lines.join('')}`;
}
