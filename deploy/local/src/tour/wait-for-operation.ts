import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@sluice/types';
import { expectThat } from './step-failure';
import type { Tour } from './tour';

/** Longest wait for a write that nothing holds back. */
const withinMs = 20_000;
const everyMs = 20;

/** Asks for the operation until it has ended. */
export async function waitForOperation(tour: Tour, operationId: string): Promise<Operation> {
  const giveUpAtMs = performance.now() + withinMs;
  for (;;) {
    const operation = await tour.management.getOperation(tour.projectId, operationId);
    if (operation.status !== 'in_progress') return operation;
    expectThat(performance.now() < giveUpAtMs, `Operation ${operationId} is in progress after ${withinMs / 1000} s.`);
    await sleep(everyMs, undefined, { signal: tour.signal });
  }
}
