import { dashboards } from './dashboards';
import { renderDashboard } from './render-dashboard';
import { renderMetricsPage } from './render-metrics-page';
import { renderRules } from './render-rules';

/** The chart may hold no file from outside its folder, so it has copies. */
const homes = {
  rules: ['deploy/observability', 'helm/sluice/files'],
  dashboards: ['deploy/observability/dashboards', 'helm/sluice/files/dashboards'],
};

/** Every file that is made of the tables of metrics, alerts and dashboards: path (from the root of the repository) to text. */
export function observabilityFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ['docs/metrics.md', renderMetricsPage()],
    ...homes.rules.map((home) => [`${home}/alerts.yaml`, `# Made by \`npm run generate:client\`.\n${renderRules()}`]),
    ...homes.dashboards.flatMap((home) =>
      dashboards.map((dashboard) => [`${home}/${dashboard.uid}.json`, renderDashboard(dashboard)]),
    ),
  ]) as Record<string, string>;
}
