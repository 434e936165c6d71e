import type { ExplainedAttempt, ExplainedPlan, ExplainedRecord, OperationExplanation } from './operation-explanation';
import type { OperationStatus } from './states';

/**
 * An operation as `sluice op export` writes it and an executor's `replay` reads it: plans and decisions without values, credentials,
 * words of a provider or references of a caller. Milliseconds count from its accept.
 */
export interface OperationExport extends Pick<OperationExplanation, 'provider' | 'type' | 'mode'> {
  readonly format: 'sluice-operation-1';
  readonly operationId: string;
  readonly status: OperationStatus;
  /** Of an auto-batch: 100 records filled it. */
  readonly isFullBatch?: boolean;
  readonly calls: readonly ExportedCall[];
  readonly records: readonly ExportedRecord[];
}

export interface ExportedCall extends Pick<OperationExplanation['calls'][number], 'number' | 'state' | 'allOrNone'> {
  readonly attempts: readonly ExportedAttempt[];
}

export interface ExportedAttempt extends Pick<
  ExplainedAttempt,
  'number' | 'durationMs' | 'status' | 'isLate' | 'recordIndexes'
> {
  readonly sentAtMs: number;
  /** Absent: no answer was recorded. */
  readonly finishedAtMs?: number;
  /** Class of the first failure of the answer; absent: none failed. */
  readonly class?: NonNullable<ExplainedAttempt['error']>['class'];
}

export interface ExportedRecord extends Pick<ExplainedRecord, 'index' | 'call' | 'status' | 'sendState'> {
  readonly class?: NonNullable<ExplainedRecord['error']>['class'];
  readonly retryUntilMs?: number;
  /** Its `recordId` stands for the id, and is spelled like it: a connector takes it for one. Absent: it was no longer kept. */
  readonly plan?: ExplainedPlan;
}
