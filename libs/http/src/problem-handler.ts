import type { ErrorRequestHandler, RequestHandler } from 'express';
import {
  DefectError,
  DependencyError,
  problems,
  RateLimitedError,
  SluiceError,
  ValidationError,
  RequestError,
  type SluiceErrorOptions,
  type Problem,
} from '@sluice/errors';
import type { ApiProblem, InputValidationProblem } from '@sluice/types';
import { localsOf } from './request-state';
import { sendJson } from './send-reply';

/** Absent members are left out, never null. `type` is relative to the address of the request and opens a page; `instance` is the request id. */
type ProblemDocument = ApiProblem & Pick<Partial<InputValidationProblem>, 'issues'>;

interface PresentedProblem {
  readonly document: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

const genericDetail = 'The service could not complete the request because of an internal error.';

/**
 * The only code that turns an error into what a caller sees. Never shows `message` or `cause`.
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
      retryAfter: retryAfterMs === undefined ? undefined : new Date(now.getTime() + retryAfterMs).toISOString(),
      remedy: error.remedy ?? remedy,
      causes: issues?.map((issue) => `${issue.name} ${issue.detail}`),
      issues,
      operationId: typeof operationId === 'string' ? operationId : undefined,
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
      detail: 'The address has a broken percent-encoding.',
      cause: thrown,
    });
  }
  return new DefectError({ code: 'service.defect', detail: genericDetail, cause: thrown });
}

/**
 * A write of unknown outcome must not be repeated blindly, although its class may be tried again by us. Whoever knows better
 * than its class sets `meta.retryable`.
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

/** A request refused before its content was looked at: path, method, size, encoding, form. */
export class InboundError extends RequestError {
  /** Headers the refusal must carry, for example `Allow` with a 405. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: SluiceErrorOptions & { readonly headers?: Readonly<Record<string, string>> }) {
    super(options);
    this.headers = options.headers ?? {};
  }
}

/** `GET /problems/{code}`: what the `type` of a problem document opens. HTML for a browser, JSON for a program. */
export const problemRoute: RequestHandler = (req, res) => {
  const code = String(req.params['code']);
  if (!Object.hasOwn(problems, code)) {
    throw new InboundError({ code: 'request.path-unknown', detail: 'There is no problem of this code.' });
  }
  const problem = problems[code as keyof typeof problems];
  res.setHeader('Vary', 'Accept');
  if (req.accepts(['json', 'html']) !== 'html') {
    sendJson(res, 200, { type: `/problems/${code}`, code, ...problem });
    return;
  }
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end(page(code, problem));
};

/** The registry is our own text; it is escaped all the same, because a remedy may quote a tag one day. */
function page(code: string, problem: Problem): string {
  const title = escapeHtml(problem.title);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p><code>${escapeHtml(code)}</code>, HTTP status ${problem.status}</p>
<h2>What to do</h2><p>${escapeHtml(problem.remedy)}</p></body></html>
`;
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for the inside of an HTML element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (found) => escapes[found] ?? found);
}
