import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { problems, type SluiceError } from '@sluice/errors';
import type { Histogram, Logger, Metrics } from '@sluice/telemetry';
import { localsOf } from './request-locals';

/** A sane id: what is safe in a log line, a header and a URI reference. */
const saneId = /^[A-Za-z0-9._~-]{1,128}$/;
/** Not an HTTP status: the caller left before the reply was complete. As nginx counts it. */
const clientClosed = 499;

/** Gives each request its id; logs and measures it when its reply is done. */
export function requestObserver(o: { readonly logger: Logger; readonly metrics: Metrics }): RequestHandler {
  const seconds = o.metrics.histogram(
    'sluice_http_request_duration_seconds',
    'Time from the request head to the end of the reply, by route template; its count is the number of requests.',
    ['method', 'route', 'status'],
  );
  return (req, res, next) => {
    const locals = localsOf(res);
    const presented = req.headers['x-request-id'];
    locals.requestId = typeof presented === 'string' && saneId.test(presented) ? presented : randomUUID();
    locals.startedAt = performance.now();
    res.setHeader('X-Request-Id', locals.requestId);
    res.once('close', () => observe(o.logger, seconds, req, res));
    next();
  };
}

function observe(logger: Logger, seconds: Histogram, req: Request, res: Response): void {
  const { requestId, startedAt, route = 'unmatched', caller, failure } = localsOf(res);
  const status = statusOf(res, failure);
  const durationMs = performance.now() - startedAt;
  seconds.observe({ method: req.method, route, status }, durationMs / 1000);
  const line = {
    requestId,
    method: req.method,
    route,
    status,
    durationMs: Math.round(durationMs * 100) / 100,
    ...(caller ? { keyId: caller.keyId, projectId: caller.projectId } : {}),
    ...(failure ? { code: failure.code, detail: failure.detail, meta: failure.meta } : {}),
  };
  const level = levelOf(status, failure);
  logger[level](level === 'error' ? { ...line, error: failure } : line, 'http.request');
}

/** A reply that broke off is counted by the reason, whatever status went out before. */
function statusOf(res: Response, failure: SluiceError | undefined): number {
  if (res.writableFinished) return res.statusCode;
  return failure ? problems[failure.code].status : clientClosed;
}

/**
 * `error` only where a person of ours must act: a provider's failure is shown as 5xx and is not ours.
 * A success is `debug`, because the histogram counts it: a line for each costs a fifth of the requests per second.
 */
function levelOf(status: number, failure: SluiceError | undefined): 'debug' | 'info' | 'error' {
  if (!failure) return status >= 400 ? 'info' : 'debug';
  const shown = problems[failure.code].status;
  return shown === 500 || shown === 503 ? 'error' : 'info';
}
