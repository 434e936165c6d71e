import { type OutgoingHttpHeaders, ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Express, RequestHandler, Response } from 'express';
import { DefectError } from '@sluice/errors';
import helmet from 'helmet';

export type Headers = readonly (readonly [name: string, value: string])[];

/** What Node calls once per reply with the status line and the headers that were set, to make the head's text of them. */
const storeHeader = '_storeHeader';

interface HeadWriter extends ServerResponse {
  [storeHeader]: (this: HeadWriter, statusLine: string, set: OutgoingHttpHeaders | readonly string[] | null) => void;
}

/**
 * Gives every reply of an app these headers. A reply that sets one of them itself keeps its own.
 * They are written as one text that is made once, because setting ten headers one by one costs a twentieth of what a read costs.
 * Node has no public way to do so; the method it is done with is as old as Node, and a Node without it is refused.
 */
export function setOnEveryReply(app: Express, headers: Headers): void {
  const response = app.response as unknown as HeadWriter;
  const writeHead = response[storeHeader];
  if (typeof writeHead !== 'function') {
    throw new DefectError({ code: 'service.defect', detail: 'this Node writes the heads of replies in another way' });
  }
  const lines = new Map(headers.map(([name, value]) => [name.toLowerCase(), `${name}: ${value}\r\n`]));
  const all = [...lines.values()].join('');
  response[storeHeader] = function (statusLine, set) {
    const own = namesOf(set).filter((name) => lines.has(name));
    const added = own.length === 0 ? all : [...lines].map(([name, line]) => (own.includes(name) ? '' : line)).join('');
    writeHead.call(this, statusLine + added, set);
  };
}

/** In lower case. A list, from `writeHead`, has names and values in turns. */
function namesOf(set: OutgoingHttpHeaders | readonly string[] | null | undefined): string[] {
  const names = Array.isArray(set) ? set.filter((_, at) => at % 2 === 0) : Object.keys(set ?? {});
  return names.map((name: string) => name.toLowerCase());
}

/**
 * Headers of every reply. Of helmet, the parts that mean something for JSON; the rest speaks to pages with scripts.
 * `no-store`: replies carry customers' data (ASVS 5.0, V14.3.2).
 */
export function replyHeaders(): Headers {
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
  return [['Cache-Control', 'no-store'], ...headersOf(secure)];
}

/** What it sets is the same for every reply, so it is asked once, with a reply that nobody reads. */
function headersOf(secure: ReturnType<typeof helmet>): Headers {
  const request = new IncomingMessage(new Socket());
  const reply = new ServerResponse(request);
  secure(request, reply, () => undefined);
  // Typed for requests only; replies have it as well.
  const names = (reply as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
  return names.map((name) => [name, String(reply.getHeader(name))]);
}

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
