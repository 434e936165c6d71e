import type { ApiProblem, InputValidationProblem } from '@sluice/types';
import type { Reply } from './operation-shape';

type Problem = Partial<ApiProblem> & Pick<Partial<InputValidationProblem>, 'issues'>;

/** A reply that is no success. The members are those of the problem document, as far as there was one. */
export class SluiceApiError extends Error {
  override readonly name = 'SluiceApiError';
  readonly status: number;
  /** Stable name of the problem; absent for a record that the provider refused (422 of a write). */
  readonly code: ApiProblem['code'] | undefined;
  readonly detail: string;
  /** What the caller can do. */
  readonly remedy: string | undefined;
  /** Names the request in the service's logs. */
  readonly requestId: string | undefined;
  /** Whether the same request may succeed later, without doubling a write. */
  readonly retryable: boolean;
  /** Not before then. */
  readonly retryAfter: Date | undefined;
  /** The broken rules of the request. */
  readonly issues: InputValidationProblem['issues'];
  /** The operation of a write that failed. */
  readonly operationId: string | undefined;
  /** The body as it came. */
  readonly body: unknown;

  /** @param operation name of the method that was called */
  constructor(operation: string, { status, headers, body }: Reply) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Problem;
    const detail = problem.detail ?? firstError(body) ?? `status ${status} without a problem document`;
    super(`${operation} was answered with ${status}${problem.code === undefined ? '' : ` ${problem.code}`}: ${detail}`);
    this.status = status;
    this.code = problem.code;
    this.detail = detail;
    this.remedy = problem.remedy;
    this.requestId = problem.requestId ?? headers.get('x-request-id') ?? undefined;
    this.retryable = problem.retryable ?? false;
    this.retryAfter = problem.retryAfter === undefined ? undefined : new Date(problem.retryAfter);
    this.issues = problem.issues ?? [];
    this.operationId = problem.operationId;
    this.body = body;
  }
}

/** Nobody answered, or the answer broke off: it is not known whether the request arrived. */
export class SluiceConnectionError extends Error {
  override readonly name = 'SluiceConnectionError';
}

/** The refusal of a record lists sentences in place of a detail. */
function firstError(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { readonly errors?: readonly { readonly message?: string }[] };
  return Array.isArray(errors) ? errors[0]?.message : undefined;
}
