import { metricTable, type MetricRow } from '@sluice/telemetry';
import type { ShownMetric } from './read-metrics';

/** What an id or an address looks like. */
const customers = /@|[0-9a-f]{8}-[0-9a-f]{4}/;

/** Labels of a metric that the table does not have, and values that it does not allow; none for a metric that is not ours. */
export function strangeLabels({ name, labels }: ShownMetric, services: readonly string[]): string[] {
  const row: MetricRow | undefined = metricTable[name as keyof typeof metricTable];
  if (row === undefined) return [];
  const known: Record<string, readonly string[] | { from: string } | undefined> = {
    ...row.labels,
    service: services,
    le: { from: 'the buckets' },
  };
  return [...labels].flatMap(([label, values]) => {
    const allowed = known[label];
    const isStrange = (value: string): boolean => {
      if (allowed === undefined) return true;
      return 'from' in allowed ? customers.test(value) : !allowed.includes(value);
    };
    return [...values].filter(isStrange).map((value) => `${name}{${label}="${value}"}`);
  });
}
