import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers of every reply. Of helmet, the parts that mean something for JSON; the rest speaks to pages with scripts.
 * `no-store`: replies carry customers' data (ASVS 5.0, V14.3.2).
 */
export function replyHeaders(): RequestHandler {
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
  const headers = [['Cache-Control', 'no-store'] as const, ...headersOf(secure)];
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}

/** What it sets is the same for every reply, so it is asked once, with a reply that nobody reads. */
function headersOf(secure: ReturnType<typeof helmet>): (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const reply = new ServerResponse(request);
  secure(request, reply, () => undefined);
  // Typed for requests only; replies have it as well.
  const names = (reply as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
  return names.map((name) => [name, String(reply.getHeader(name))]);
}
