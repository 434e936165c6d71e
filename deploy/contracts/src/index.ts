export { run } from './generate-command';
export { alerts } from './observability/alerts';
export { dashboards } from './observability/dashboards';
export { renderRules } from './observability/alerts';
