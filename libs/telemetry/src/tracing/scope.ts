import { AsyncLocalStorage } from 'node:async_hooks';
import type { Step } from './step';

const scope = new AsyncLocalStorage<Step | undefined>();

/** The step that the running code belongs to. */
export function currentStep(): Step | undefined {
  return scope.getStore();
}

export function runIn<T>(step: Step, work: () => T): T {
  return scope.run(step, work);
}

/** For what a step sets off but does not wait for: timers, queues and loops that serve others as well. */
export function outsideSteps<T>(work: () => T): T {
  return scope.run(undefined, work);
}

/** What a log line gets from the step it is written in. */
export function scopeFields(): object {
  return scope.getStore()?.logFields() ?? {};
}
