import type { RequestHandler, Response } from 'express';
import type { Headers } from './every-reply';

/** What the published browser client sends, plus our own request headers. */
const requestHeaders = [
  'X-Api-Key',
  'Authorization',
  'Content-Type',
  'X-Amp-Client',
  'X-Amp-Client-Version',
  'X-Request-Id',
  'X-Sluice-Request-Type',
  'Idempotency-Key',
  'Sluice-Record-Ref',
  'Traceparent',
].join(', ');
const shownHeaders =
  'X-Request-Id, Retry-After, Link, Idempotent-Replayed, Sluice-Record-Index, Sluice-Record-Ref, Sluice-Warning';

/** Lets browsers of any origin call. Credentials travel in headers, so `*` gives nothing away. */
export const corsHeaders: Headers = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', shownHeaders],
];

/**
 * Answers preflights.
 * @param cookiePaths paths whose replies may set a cookie that no path of the API reads. A browser keeps it only when the
 *   origin is named and cookies are allowed.
 */
export function cors(cookiePaths: readonly string[] = []): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin !== undefined && cookiePaths.includes(req.path)) allowCookies(res, origin);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
    res.setHeader('Access-Control-Allow-Headers', requestHeaders);
    // Two hours is the longest that Chromium keeps a preflight.
    res.setHeader('Access-Control-Max-Age', '7200');
    res.statusCode = 204;
    res.end();
  };
}

function allowCookies(res: Response, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Allow-Credentials', 'true');
  res.setHeader('Vary', 'Origin');
}
