import { SluiceApiError } from '@sluice/client';
import { SluiceError } from '@sluice/errors';
import { failureLine, stepLine, type Print } from './print-step';
import type { StepOutcome } from './tour';
import { StepFailure } from './step-failure';

/** Runs steps one after the other and prints a line for each. */
export interface Stepper {
  readonly step: <T>(title: string, work: () => Promise<StepOutcome<T>>) => Promise<T>;
  /** Prints the line of the step that threw. */
  fail(error: unknown): void;
  /** Steps begun so far. */
  count(): number;
}

export function createStepper(print: Print): Stepper {
  let number = 0;
  let current = '';
  return {
    step: async (title, work) => {
      number += 1;
      current = title;
      const outcome = await work();
      print(stepLine(number, title, outcome));
      return outcome.value;
    },
    fail: (error) => print(failureLine(number, current, sentenceOf(error))),
    count: () => number,
  };
}

function sentenceOf(error: unknown): string {
  if (error instanceof StepFailure || error instanceof SluiceApiError) return error.message;
  if (error instanceof SluiceError) return error.detail;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
