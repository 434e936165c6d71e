import type { Dashboard } from './dashboards';
import type { Panel } from './panels/panel';

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
