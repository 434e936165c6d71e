import type {
  ApiProblem,
  BatchWriteReply,
  InputValidationProblem,
  RecordProblem,
  RefusedWriteReply,
} from '@sluice/types';
import type { Reply } from './operation-shape';

type Problem = Partial<ApiProblem> & Pick<Partial<InputValidationProblem>, 'issues'>;

/**
 * A reply that is no success; the members are those of the problem document, as far as there was one. What is thrown is one of the classes
 * below, by status, or this one.
 */
export class SluiceApiError extends Error {
  override readonly name: string = 'SluiceApiError';
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
    this.retryable = problem.retryable ?? isOfProxy(status, body);
    this.retryAfter = momentOf(problem.retryAfter ?? headers.get('retry-after') ?? undefined);
    this.issues = problem.issues ?? [];
    this.operationId = problem.operationId;
    this.body = body;
  }
}

/** 400, 413, 415 and 422 with a code: the request has to change. `issues` names each broken rule. */
export class SluiceRequestError extends SluiceApiError {
  override readonly name = 'SluiceRequestError';
}

/** 401: no key or token, or one that is wrong or was revoked. */
export class SluiceAuthenticationError extends SluiceApiError {
  override readonly name = 'SluiceAuthenticationError';
}

/** 403: the key may not do this, or the customer's config does not allow it. */
export class SluiceForbiddenError extends SluiceApiError {
  override readonly name = 'SluiceForbiddenError';
}

/** 404 and 410: it does not exist, or no longer. */
export class SluiceNotFoundError extends SluiceApiError {
  override readonly name = 'SluiceNotFoundError';
}

/** 409: the current state forbids it, such as a connection whose credentials the provider refuses. */
export class SluiceConflictError extends SluiceApiError {
  override readonly name = 'SluiceConflictError';
}

/** 429: too many requests, or the provider's quota is used up. Not before `retryAfter`. */
export class SluiceRateLimitError extends SluiceApiError {
  override readonly name = 'SluiceRateLimitError';
}

/** 5xx: Sluice or the provider is not available. */
export class SluiceServerError extends SluiceApiError {
  override readonly name = 'SluiceServerError';
}

/** 422 without a code: the provider refused the record, or every record of the batch. */
export class SluiceRecordError extends SluiceApiError {
  override readonly name = 'SluiceRecordError';
  declare readonly operationId: string;
  /** What the provider said: of the record, or of each record of the batch in its `results`. */
  declare readonly body: RefusedWriteReply | BatchWriteReply;

  /** Why it was not written, by field: of the record, or of every record of the batch in their order. */
  get problems(): readonly RecordProblem[] {
    const { body } = this;
    return 'results' in body ? body.results.flatMap(({ problems = [] }) => problems) : (body.problems ?? []);
  }
}

/** There was no reply, or it broke off. It is not known whether the request arrived. */
export class SluiceConnectionError extends Error {
  override readonly name = 'SluiceConnectionError';
}

const byStatus: Readonly<Record<number, typeof SluiceApiError>> = {
  400: SluiceRequestError,
  401: SluiceAuthenticationError,
  403: SluiceForbiddenError,
  404: SluiceNotFoundError,
  409: SluiceConflictError,
  410: SluiceNotFoundError,
  413: SluiceRequestError,
  415: SluiceRequestError,
  429: SluiceRateLimitError,
};

/** @param operation name of the method that was called */
export function toApiError(operation: string, reply: Reply): SluiceApiError {
  const { status } = reply;
  if (status !== 422)
    return new (byStatus[status] ?? (status >= 500 ? SluiceServerError : SluiceApiError))(operation, reply);
  const error = new SluiceRequestError(operation, reply);
  return error.code === undefined && error.operationId !== undefined ? new SluiceRecordError(operation, reply) : error;
}

/** Statuses that a proxy sends while no service is behind it. A service would send a problem document. */
function isOfProxy(status: number, body: unknown): boolean {
  return [429, 502, 503, 504].includes(status) && (typeof body !== 'object' || body === null);
}

/** Of a date-time, an HTTP date, or a number of seconds. Source: RFC 9110, Retry-After. */
function momentOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(/^\d+$/.test(text) ? Date.now() + Number(text) * 1_000 : text);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** The refusal of a record lists sentences instead of a detail. */
function firstError(body: unknown): string | undefined {
  const { errors } = (body ?? {}) as { readonly errors?: readonly { readonly message?: string }[] };
  return Array.isArray(errors) ? errors[0]?.message : undefined;
}
