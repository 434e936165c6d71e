import { type MetricName, type MetricRow, metricTable } from '@sluice/telemetry';
import { alerts, renderRules } from './alerts';
import { dashboards, renderDashboard } from './observability-files';

/** Of Node.js, shown by every process; the rehearsal in tests/flows sees them. */
const ofProcess = /^(process_cpu_seconds_total|process_resident_memory_bytes|nodejs_eventloop_lag_p99_seconds)$/;
const added = ['service', 'instance', 'le'];

const times = { range: (seconds: number) => `${seconds}s`, seconds: String };
const ofAlerts = alerts.map(({ name, expr }) => [name, expr(times)] as const);
const ofPanels = dashboards.flatMap(({ panels }) => {
  return panels.flatMap(({ title, lines }) => lines.map(([expr]) => [title, expr] as const));
});

/** Every metric that an expression names, with the labels it asks for. */
function usesOf(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b((?:sluice|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', list = '']) => ({
    name: name.replace(/_(bucket|count|sum)$/, ''),
    labels: [...list.matchAll(/(\w+)\s*[=!]~?=?"/g)].map(([, label = '']) => label),
  }));
}

const rowOf = (name: string): MetricRow | undefined => metricTable[name as MetricName];

describe.each([...ofAlerts, ...ofPanels])('%s', (_name, expr) => {
  it('asks for metrics and labels of the table only', () => {
    const uses = usesOf(expr);
    expect(uses.length).toBeGreaterThan(0);
    for (const { name, labels } of uses) {
      if (ofProcess.test(name)) continue;
      expect([name, rowOf(name) !== undefined]).toEqual([name, true]);
      const known = [...Object.keys(rowOf(name)?.labels ?? {}), ...added];
      expect(labels.filter((label) => !known.includes(label))).toEqual([]);
    }
  });

  it('groups by labels that its metrics have', () => {
    const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
    const known = usesOf(expr).flatMap(({ name }) => Object.keys(rowOf(name)?.labels ?? {}));
    expect(groups.filter((label) => ![...known, ...added].includes(label))).toEqual([]);
  });
});

it('the dashboards show every metric of the table', () => {
  const shown = new Set(ofPanels.flatMap(([, expr]) => usesOf(expr).map(({ name }) => name)));
  expect(Object.keys(metricTable).filter((name) => !shown.has(name))).toEqual([]);
});

it('an alert has a page, a severity, a time and a sentence', () => {
  expect(new Set(alerts.map(({ runbook }) => runbook)).size).toBe(alerts.length);
  const rules = renderRules();
  for (const { name, runbook, severity } of alerts) {
    const [rule = ''] = rules.split(/^(?= {6}- alert: )/m).filter((each) => each.includes(`alert: ${name}\n`));
    expect(rule).toMatch(/^ {8}for: \d+[sm]$/m);
    expect(rule).toContain(`severity: ${severity}\n`);
    expect(rule).toContain(`runbook_url: "docs/runbooks/${runbook}.md"\n`);
  }
});

it('a scale divides every time', () => {
  expect(renderRules(30)).toContain('for: 4s\n');
  expect(renderRules(30)).toContain('[10s]');
  expect(renderRules(30)).toContain('sluice_oldest_ready_seconds{lane="idle"}) > 2\n');
});

it('no panels of a dashboard overlap', () => {
  for (const dashboard of dashboards) {
    const { panels } = JSON.parse(renderDashboard(dashboard)) as { panels: { gridPos: { x: number; y: number } }[] };
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`)).size).toBe(dashboard.panels.length);
  }
});
