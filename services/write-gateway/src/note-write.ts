import { currentStep } from '@sluice/telemetry';
import type { ResolvedWrite } from './resolve-write';

/** Tells the trace of the request, and its further log lines, which operation the write became. */
export function noteWrite({ operation, planned, installation }: ResolvedWrite, operationId: string): void {
  const { objectName, type, mode } = operation;
  currentStep()?.note({
    operationId,
    objectName,
    type,
    mode,
    provider: installation.provider,
    records: planned.length,
  });
}
