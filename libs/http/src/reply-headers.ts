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
  return (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    secure(req, res, next);
  };
}
