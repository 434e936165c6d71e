import { SluiceError, type Retry, type SluiceErrorOptions } from './sluice-error';
import type { ProblemCode } from './problems';

/**
 * What a provider's refusal or silence means, in the coarse classes that policy and metrics use.
 * `unavailable` and `quota`: nothing was written. `timeout` and `unknown`: the write may have been applied.
 */
export const failureClasses = [
  'rejected',
  'not-found',
  'conflict',
  'forbidden',
  'credentials',
  'quota',
  'unavailable',
  'timeout',
  'unknown',
] as const;
export type FailureClass = (typeof failureClasses)[number];

const codes: Record<FailureClass, ProblemCode> = {
  rejected: 'provider.rejected',
  'not-found': 'provider.not-found',
  conflict: 'provider.rejected',
  forbidden: 'provider.forbidden',
  credentials: 'connection.bad-credentials',
  quota: 'provider.quota-exhausted',
  unavailable: 'provider.unavailable',
  timeout: 'provider.timeout',
  unknown: 'provider.outcome-unknown',
};

const retries: Record<FailureClass, Retry> = {
  rejected: 'never',
  'not-found': 'never',
  conflict: 'never',
  forbidden: 'never',
  credentials: 'after-refresh',
  quota: 'backoff',
  unavailable: 'backoff',
  timeout: 'backoff',
  unknown: 'backoff',
};

/** Whether a failure of this class may be tried again. */
export function retryOf(failureClass: FailureClass): Retry {
  return retries[failureClass];
}

/** The problem a synchronous caller is shown for a failure of this class. */
function problemCodeOf(failureClass: FailureClass): ProblemCode {
  return codes[failureClass];
}

/** Every problem that asking a provider can end in. */
export const providerProblemCodes: readonly ProblemCode[] = [...new Set(failureClasses.map(problemCodeOf))];

/** The SaaS refused, or did not answer. The connector decides the class; nobody infers it from a status later. */
export class ProviderError extends SluiceError {
  readonly class: FailureClass;
  override readonly retry: Retry;
  constructor(options: Omit<SluiceErrorOptions, 'code'> & { readonly class: FailureClass }) {
    super({ ...options, code: codes[options.class] });
    this.class = options.class;
    this.retry = retries[options.class];
  }
}
