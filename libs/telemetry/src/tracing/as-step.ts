import type { Facts } from './facts';
import { currentStep } from './step';

/**
 * Does work as a step inside the current one; where there is none, it only does the work.
 * @param failureOf reads the class of a failure from what the work gave; what the work throws is one as well
 */
export async function asStep<T>(
  name: string,
  facts: Facts,
  work: () => Promise<T>,
  failureOf: (result: T) => string | undefined = () => undefined,
): Promise<T> {
  const step = currentStep()?.child(name, facts);
  if (step === undefined) return await work();
  try {
    const result = await step.run(work);
    step.end(failureOf(result));
    return result;
  } catch (error) {
    step.end(classOf(error));
    throw error;
  }
}

/** The code of an error, else its class; never its text. */
export function classOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
