import type { ErrorRequestHandler } from 'express';
import { DefectError, DependencyError, problems, RateLimitedError, SluiceError, ValidationError } from '@sluice/errors';
import type { Issue, ProblemCode } from '@sluice/errors';
import { InboundError } from './inbound-error';
import { localsOf } from './request-locals';
import { sendJson } from './send-json';

/** An RFC 9457 document with this API's extensions at its top level. Absent members are left out, never null. */
export interface ProblemDocument {
  /** `/problems/{code}`, relative to the address of the request; opens a page. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request id. */
  readonly instance: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  /** Date-time of the reply. */
  readonly time: string;
  /** Whether the same request may succeed later, and may be sent without doubling a write. */
  readonly retryable: boolean;
  /** Date-time before which a repeat is pointless. */
  readonly retryAfter?: string;
  readonly remedy: string;
  /** The reasons as sentences, for clients that show a list. */
  readonly causes?: readonly string[];
  readonly issues?: readonly Issue[];
  /** The operation that was opened before the failure. */
  readonly operationId?: string;
}

export interface PresentedProblem {
  readonly document: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

const genericDetail = 'The service could not complete the request because of an internal error.';

/**
 * The only place that turns an error into what a caller sees. Never shows `message` or `cause`.
 * Source: RFC 9457; names of the extensions from the published problem schema.
 */
export function presentProblem(error: SluiceError, requestId: string, now = new Date()): PresentedProblem {
  const { status, title, remedy } = problems[error.code];
  const retryable = isRetryable(error);
  const retryAfterMs = retryable ? retryDelayMs(error, status) : undefined;
  const issues = error instanceof ValidationError ? error.issues : undefined;
  const operationId = error.meta['operationId'];
  return {
    document: {
      type: `/problems/${error.code}`,
      title,
      status,
      detail: error instanceof DefectError ? genericDetail : error.detail,
      instance: requestId,
      code: error.code,
      requestId,
      time: now.toISOString(),
      retryable,
      ...(retryAfterMs === undefined ? {} : { retryAfter: new Date(now.getTime() + retryAfterMs).toISOString() }),
      remedy: error.remedy ?? remedy,
      ...(issues ? { causes: issues.map((issue) => `${issue.name} ${issue.detail}`), issues } : {}),
      ...(typeof operationId === 'string' ? { operationId } : {}),
    },
    headers: {
      ...(error instanceof InboundError ? error.headers : {}),
      ...(error.meta['replayed'] === true ? { 'Idempotent-Replayed': 'true' } : {}),
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="sluice", ApiKey realm="sluice"' } : {}),
      ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    },
  };
}

/** Last in the chain of every app. What it presents is logged by the request observer, once. */
export const problemHandler: ErrorRequestHandler = (thrown: unknown, _req, res, _next) => {
  const locals = localsOf(res);
  const error = asSluiceError(thrown);
  locals.failure = error;
  if (res.headersSent) {
    // The status is out already: only a broken connection can still say that the reply is not whole.
    res.destroy();
    return;
  }
  const { document, headers } = presentProblem(error, locals.requestId);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  sendJson(res, document.status, document, 'application/problem+json');
};

/** Errors of Express itself become ours; everything unknown becomes a defect whose cause is the error. */
function asSluiceError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  if (thrown instanceof URIError) {
    return new InboundError({
      code: 'request.invalid',
      detail: 'The path has a broken percent-encoding.',
      cause: thrown,
    });
  }
  return new DefectError({ code: 'service.defect', detail: genericDetail, cause: thrown });
}

/**
 * A write of unknown outcome must not be repeated blindly, although its class may be tried again by us. Whoever knows better
 * than the class says so in `meta.retryable`.
 */
function isRetryable(error: SluiceError): boolean {
  const known = error.meta['retryable'];
  if (typeof known === 'boolean') return known;
  return error.code !== 'provider.outcome-unknown' && error.retry === 'backoff';
}

function retryDelayMs(error: SluiceError, status: number): number | undefined {
  if (error.retryAfterMs !== undefined) return error.retryAfterMs;
  if (error instanceof DependencyError) return 2_000;
  if (error instanceof RateLimitedError) return 1_000;
  // 10 s is the shortest quota window of a provider (HubSpot); 5 s is a usual restart.
  return status === 429 ? 10_000 : 5_000;
}
