import type { Logger, Metrics } from '@sluice/telemetry';
import type { HttpOutcome } from './http-client';
import type { ObservedExchange } from './requests';

/** What every provider call leaves behind: a count, a duration, a log line. */
export interface CallMeter {
  /** `result`: `ok` or the failure's class. */
  measured(operation: string, result: string, outcome: HttpOutcome, seen: ObservedExchange): void;
}

/** The meters of one provider. They have the same names for all; the label `provider` tells them apart. */
export function createCallMeter(provider: string, logger: Logger, metrics: Metrics): CallMeter {
  const calls = metrics.counter(
    'sluice_provider_calls_total',
    'Calls to providers, by result: ok or a failure class.',
    ['provider', 'operation', 'result'],
  );
  const seconds = metrics.histogram('sluice_provider_call_seconds', 'Duration of calls to providers.', [
    'provider',
    'operation',
  ]);
  return {
    measured(operation, result, outcome, seen) {
      calls.inc({ provider, operation, result });
      seconds.observe({ provider, operation }, outcome.durationMs / 1_000);
      logger.debug({ provider, operation, result, ...seen }, 'provider.called');
    },
  };
}
