import { currentStep } from '@sluice/telemetry';
import type { ResolvedWrite } from './resolve-write';

/** Adds the operation that the write became to the trace of the request and to its further log lines. */
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
