import { alerts, type Alert, type Times } from './alerts';

/** Where the pages lie. The chart puts the address of a copy in its place (`prometheusRule.runbookBaseUrl`). */
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
