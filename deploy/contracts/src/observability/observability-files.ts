import { metricTable, type MetricRow } from '@sluice/telemetry';
import { renderRules } from './alerts';
import type { Panel } from './panels/panel';
import { processPanels } from './panels/process-panels';
import { providerPanels } from './panels/provider-panels';
import { writePanels } from './panels/write-panels';

interface Dashboard {
  /** Stable: links lead to it. */
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export const dashboards: readonly Dashboard[] = [
  { uid: 'sluice-writes', title: 'Sluice / Writes', panels: writePanels },
  { uid: 'sluice-providers', title: 'Sluice / Providers', panels: providerPanels },
  { uid: 'sluice-processes', title: 'Sluice / Processes', panels: processPanels },
];

/** The chart may hold no file from outside its folder, so the only copy is there. */
const home = 'helm/sluice/files';

/** Every file that is made of the tables of metrics, alerts and dashboards: path (from the root of the repository) to text. */
export function observabilityFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ['docs/metrics.md', renderMetricsPage()],
    [`${home}/alerts.yaml`, `# Made by \`npm run generate:client\`.\n${renderRules()}`],
    ...dashboards.map((dashboard) => [`${home}/dashboards/${dashboard.uid}.json`, renderDashboard(dashboard)]),
  ]) as Record<string, string>;
}

const head = `# Metrics

What the services show at \`GET /metrics\` on the port of their metrics (\`SLUICE_METRICS_PORT\`: the port of the service plus 10), in the text format of Prometheus.
This page is made from \`libs/telemetry/src/metric-table.ts\` by \`npm run generate:client\`; a test fails when one of them is behind, and another one compares the table with what running
processes show. Every metric also carries \`service\`.

Labels are closed sets of words. A set in italics can only be extended by the operator (a provider, a route, a topic), never by a customer or a request.
Besides these, each process shows the metrics of Node.js: \`process_cpu_seconds_total\`, \`process_resident_memory_bytes\`, \`nodejs_eventloop_lag_p99_seconds\`, \`nodejs_gc_duration_seconds\` and so on, once per
process, without \`service\`.

`;

/** docs/metrics.md: the table of metrics, for readers. */
function renderMetricsPage(): string {
  return head + Object.entries<MetricRow>(metricTable).map(entryOf).join('');
}

function entryOf([name, { kind, help, labels }]: [string, MetricRow]): string {
  const lines = Object.entries(labels).map(
    ([label, values]) => `  - \`${label}\`: ${'from' in values ? `_${values.from}_` : values.join(', ')}\n`,
  );
  return `- \`${name}\` (${kind}): ${help}\n${lines.join('')}`;
}

/** Three panels in a row of Grafana's 24 columns. */
const width = 8;
const height = 8;
const perRow = 24 / width;

/** The JSON that Grafana imports. */
export function renderDashboard({ uid, title, panels }: Dashboard): string {
  const json = {
    uid,
    title,
    tags: ['sluice'],
    schemaVersion: 39,
    editable: false,
    time: { from: 'now-3h', to: 'now' },
    refresh: '30s',
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels: panels.map(renderPanel),
  };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

function renderPanel({ title, description, unit, lines }: Panel, at: number): object {
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    description,
    datasource,
    gridPos: { h: height, w: width, x: (at % perRow) * width, y: Math.floor(at / perRow) * height },
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 5, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: lines.map(([expr, legendFormat], line) => ({
      refId: String.fromCharCode(65 + line),
      datasource,
      expr: expr.replaceAll('$window', '$__rate_interval'),
      legendFormat,
    })),
  };
}
