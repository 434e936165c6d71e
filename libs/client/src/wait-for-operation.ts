import type { Operation } from '@sluice/types';
import { pause } from './call-operation';
import type { ManagementOperations } from './generated/management';
import type { Api } from './operation-shape';

export interface WaitOptions {
  /** @default 60 000 */
  readonly timeoutMs?: number;
  /** @default the client's */
  readonly projectIdOrName?: string;
  readonly signal?: AbortSignal;
}

/** The operation was still in progress when the time was over. It goes on: ask again. */
export class SluiceTimeoutError extends Error {
  override readonly name = 'SluiceTimeoutError';
  /** Its last known state. */
  readonly operation: Operation;
  constructor(operation: Operation, timeoutMs: number) {
    super(`Operation ${operation.id} is in progress after ${timeoutMs} ms.`);
    this.operation = operation;
  }
}

const defaultTimeoutMs = 60_000;
/** The longest wait that getOperation takes. Source: its parameter waitSeconds. */
const waitSecondsMax = 30;
/** Between two questions: a service that shuts down answers at once. */
const pauseMs = 100;

/** Lets the service wait, so that the end is known about when it happens and with few requests. */
export async function waitForOperation(
  management: Api<ManagementOperations>,
  operationId: string,
  { timeoutMs = defaultTimeoutMs, projectIdOrName, signal }: WaitOptions,
): Promise<Operation> {
  const names = { operationId, ...(projectIdOrName === undefined ? {} : { projectIdOrName }) };
  const endsAtMs = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = endsAtMs - performance.now();
    const waitSeconds = Math.min(waitSecondsMax, Math.max(1, Math.ceil(leftMs / 1_000)));
    const operation = await management.getOperation({ ...names, waitSeconds }, signal === undefined ? {} : { signal });
    if (operation.status !== 'in_progress') return operation;
    if (performance.now() >= endsAtMs) throw new SluiceTimeoutError(operation, timeoutMs);
    await pause(pauseMs, signal);
  }
}
