import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Headers } from './every-reply';

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
