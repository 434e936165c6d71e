import type { Operation } from '@sluice/types';
import type { Tour } from './tour';

/** Longest wait for a write that nothing holds back. */
const timeoutMs = 120_000;

/** The operation when it has ended. */
export function waitForOperation({ client, signal }: Tour, operationId: string): Promise<Operation> {
  return client.waitForOperation(operationId, { timeoutMs, signal });
}
