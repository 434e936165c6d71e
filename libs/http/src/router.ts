import type { RequestHandler } from 'express';
import { DefectError } from '@sluice/errors';
import { contractOf, type RegisteredRoute } from './contract/route-contract';
import { InboundError } from './problem-handler';
import { oneAfterAnother } from './one-after-another';
import { localsOf } from './request-locals';
import { rightAddress } from './right-address';
import { createRouteTable } from './route-table';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/**
 * Where a service registers its endpoints: whole paths in Express 5 syntax, each once per method.
 * A literal colon is escaped: `/v1/projects/:projectIdOrName/connections\\:generate`.
 */
export type Router = Readonly<Record<Method, (path: string, ...handlers: RequestHandler[]) => void>>;

/** One method at one path. */
interface Endpoint {
  /** As a request has it. */
  readonly method: string;
  /** Whether a verb stands behind the last name: `:operationId\\:cancel`. */
  readonly isVerb: boolean;
  readonly handler: RequestHandler;
  /** For the methods that the path does not take. */
  readonly refuse: RequestHandler;
}

/** @param authenticate runs before each registered route, and only there: an unknown path is 404 for everyone */
export function createRouter(
  service: string,
  authenticate?: RequestHandler,
): {
  readonly router: Router;
  /** Finds the route of a request; 405 and OPTIONS are answered for every path that is registered. */
  readonly handle: RequestHandler;
  /** What is registered, in its order; grows. */
  readonly routes: readonly RegisteredRoute[];
} {
  const table = createRouteTable<Endpoint>();
  const known = new Map<string, Set<string>>();
  const routes: RegisteredRoute[] = [];
  const register =
    (method: Method) =>
    (path: string, ...handlers: RequestHandler[]) => {
      const taken = known.get(path) ?? new Set();
      const name = method.toUpperCase();
      if (taken.has(name)) throw new DefectError({ code: 'service.defect', detail: `${method} ${path} twice` });
      known.set(path, taken.add(name));
      routes.push({ method, path, isAuthenticated: authenticate !== undefined, contract: contractOf(handlers) });
      const entered = [enterRoute(path.replaceAll('\\', '')), ...(authenticate ? [authenticate] : []), ...handlers];
      const isVerb = path.includes('\\:');
      table.add(path, { method: name, isVerb, handler: oneAfterAnother(entered), refuse: refuseOther(service, taken) });
    };
  const router = Object.fromEntries(methods.map((method) => [method, register(method)])) as unknown as Router;
  const handle: RequestHandler = (req, res, next) => {
    const fitting = table.matches(req.path);
    // A path may fit two templates, `:id` and `:id:cancel`: no id ends like that.
    const verbs = fitting.filter(({ entry }) => entry.isVerb);
    const matches = verbs.length > 0 ? verbs : fitting;
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const match = matches.find(({ entry }) => entry.method === method);
    if (match === undefined) return matches[0] === undefined ? next() : matches[0].entry.refuse(req, res, next);
    req.params = match.params();
    return match.entry.handler(req, res, next);
  };
  return { router, handle, routes };
}

function enterRoute(template: string): RequestHandler {
  return (_req, res, next) => {
    localsOf(res).route = template;
    next();
  };
}

function allowOf(taken: ReadonlySet<string>): string {
  return [...taken, ...(taken.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function refuseOther(service: string, taken: ReadonlySet<string>): RequestHandler {
  return (req, res) => {
    const allow = allowOf(taken);
    if (req.method === 'OPTIONS') {
      res.setHeader('Allow', allow);
      res.statusCode = 204;
      res.end();
      return;
    }
    const remedy = rightAddress(req, service);
    throw new InboundError({
      code: 'request.method-not-allowed',
      detail: `${req.method} is not possible here; the path takes ${allow}.`,
      headers: { Allow: allow },
      ...(remedy !== undefined && { remedy }),
    });
  };
}
