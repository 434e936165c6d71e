import { Router as createExpressRouter, type RequestHandler, type Router as ExpressRouter } from 'express';
import { DefectError } from '@sluice/errors';
import { contractOf, type RegisteredRoute } from './contract/route-contract';
import { InboundError } from './inbound-error';
import { localsOf } from './request-locals';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/**
 * Where a service registers its endpoints: whole paths in Express 5 syntax, each once per method.
 * A literal colon is escaped: `/v1/projects/:projectIdOrName/connections\\:generate`.
 */
export type Router = Readonly<Record<Method, (path: string, ...handlers: RequestHandler[]) => void>>;

/** @param authenticate runs before each registered route, and only there: an unknown path is 404 for everyone */
export function createRouter(authenticate: RequestHandler | undefined): {
  readonly router: Router;
  /** Call once, after the routes are registered: adds 405 and OPTIONS for their paths. */
  readonly complete: () => RequestHandler;
  /** What is registered, in its order; grows. */
  readonly routes: readonly RegisteredRoute[];
} {
  const inner = createBuckets();
  const known = new Map<string, Set<string>>();
  const routes: RegisteredRoute[] = [];
  const register =
    (method: Method) =>
    (path: string, ...handlers: RequestHandler[]) => {
      const taken = known.get(path) ?? new Set();
      if (taken.has(method)) throw new DefectError({ code: 'service.defect', detail: `${method} ${path} twice` });
      known.set(path, taken.add(method));
      routes.push({ method, path, isAuthenticated: authenticate !== undefined, contract: contractOf(handlers) });
      const entered = [enterRoute(path.replaceAll('\\', '')), ...(authenticate ? [authenticate] : []), ...handlers];
      const bucket = inner.of(path);
      bucket[method](path, ...entered);
    };
  const router = Object.fromEntries(methods.map((method) => [method, register(method)])) as unknown as Router;
  const complete = () => {
    for (const [path, taken] of known) inner.of(path).all(path, refuseMethod(allowOf(taken)));
    return inner.handle;
  };
  return { router, complete, routes };
}

/**
 * Express tries one route after the other. A router per number of segments leaves a handful to try of the sixty that management has.
 * Paths with a splat match any number, and are tried last.
 */
function createBuckets(): { readonly of: (path: string) => ExpressRouter; readonly handle: RequestHandler } {
  const create = () => createExpressRouter({ caseSensitive: true, strict: false });
  const splats = create();
  const buckets = new Map<number, ExpressRouter>();
  return {
    of: (path) => {
      if (path.includes('*')) return splats;
      const bucket = buckets.get(segmentsOf(path)) ?? create();
      buckets.set(segmentsOf(path), bucket);
      return bucket;
    },
    handle: (req, res, next) => {
      const bucket = buckets.get(segmentsOf(req.path));
      if (bucket === undefined) splats(req, res, next);
      else bucket(req, res, (error?: unknown) => (error === undefined ? splats(req, res, next) : next(error)));
    },
  };
}

/** Slashes, but for one at the end, which means nothing. */
function segmentsOf(path: string): number {
  let count = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) count += 1;
  return path.length > 1 && path.endsWith('/') ? count - 1 : count;
}

function enterRoute(template: string): RequestHandler {
  return (req, res, next) => {
    localsOf(res).route = template;
    next();
  };
}

function allowOf(taken: ReadonlySet<string>): string {
  const names = [...taken].map((method) => method.toUpperCase());
  return [...names, ...(taken.has('get') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function refuseMethod(allow: string): RequestHandler {
  return (req, res) => {
    if (req.method === 'OPTIONS') {
      res.setHeader('Allow', allow);
      res.statusCode = 204;
      res.end();
      return;
    }
    throw new InboundError({
      code: 'request.method-not-allowed',
      detail: `${req.method} is not possible here; the path takes ${allow}.`,
      headers: { Allow: allow },
    });
  };
}
