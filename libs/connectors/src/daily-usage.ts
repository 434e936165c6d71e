import type { Metrics } from '@sluice/telemetry';
import type { HttpOutcome } from './http-client';

/** Calls of one day, of all apps of the account. */
export interface DailyUsage {
  readonly used: number;
  readonly limit: number;
}

/**
 * The daily usage as a distribution over accounts: near 1, some customer is about to be refused. It is a total that the customer's
 * other apps use up too, so it is measured and never counted as a window.
 */
export function createUsageMeter(
  provider: string,
  metrics: Metrics,
  usageOf: (headers: Readonly<Record<string, string>>) => DailyUsage | undefined,
): (outcome: HttpOutcome) => void {
  const ratios = metrics.histogram('sluice_provider_daily_usage_ratio');
  return (outcome) => {
    const usage = outcome.kind === 'reply' ? usageOf(outcome.reply.headers) : undefined;
    if (usage) ratios.observe({ provider }, usage.used / usage.limit);
  };
}
