import { Router as createExpressRouter, type RequestHandler } from 'express';
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
  const inner = createExpressRouter({ caseSensitive: true, strict: false });
  const known = new Map<string, Set<string>>();
  const routes: RegisteredRoute[] = [];
  const register =
    (method: Method) =>
    (path: string, ...handlers: RequestHandler[]) => {
      const taken = known.get(path) ?? new Set();
      if (taken.has(method)) throw new DefectError({ code: 'service.defect', detail: `${method} ${path} twice` });
      known.set(path, taken.add(method));
      routes.push({ method, path, isAuthenticated: authenticate !== undefined, contract: contractOf(handlers) });
      inner[method](path, enterRoute(path.replaceAll('\\', '')), ...(authenticate ? [authenticate] : []), ...handlers);
    };
  const router = Object.fromEntries(methods.map((method) => [method, register(method)])) as unknown as Router;
  const complete = () => {
    for (const [path, taken] of known) inner.all(path, refuseMethod(allowOf(taken)));
    return inner;
  };
  return { router, complete, routes };
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
