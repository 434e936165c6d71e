export { run } from './generate-command';
export { alerts, renderRules } from './observability/alerts';
export { dashboards } from './observability/observability-files';
