import type { FailureClass } from '@sluice/errors';
import { currentStep, type Logger, type Metrics } from '@sluice/telemetry';
import type { HttpOutcome } from './http-client';
import type { ObservedExchange } from './requests';

/** What every provider call leaves behind: a count, a duration, a log line, a span in the trace of whoever asked. */
export interface CallMeter {
  /** `result`: `ok` or the failure's class. */
  measured(operation: string, result: 'ok' | FailureClass, outcome: HttpOutcome, seen: ObservedExchange): void;
}

/** The meters of one provider. They have the same names for all; the label `provider` tells them apart. */
export function createCallMeter(provider: string, logger: Logger, metrics: Metrics): CallMeter {
  const calls = metrics.counter('sluice_provider_calls_total');
  const seconds = metrics.histogram('sluice_provider_call_seconds');
  return {
    measured(operation, result, outcome, seen) {
      calls.inc({ provider, operation, result });
      seconds.observe({ provider, operation }, outcome.durationMs / 1_000);
      const facts = {
        provider,
        providerOperation: operation,
        ...(seen.status !== undefined && { status: seen.status }),
      };
      const { durationMs } = outcome;
      const failed = result === 'ok' ? {} : { failed: result };
      currentStep()?.past(`${provider} ${operation}`, { durationMs, facts, ...failed });
      logger.debug({ provider, operation, result, ...seen }, 'provider.called');
    },
  };
}
