import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { Logger, Metrics } from '@sluice/telemetry';
import { DefectError } from '@sluice/errors';
import { answerPathless } from './answer-pathless';
import { stateOf } from './app-state';
import { buildDocument, type BuiltDocument } from './contract/build-document';
import { checkReplies } from './contract/reply-checker';
import type { ApiInfo } from './contract/openapi';
import { cors, corsHeaders, setOnEveryReply, replyHeaders } from './every-reply';
import { InboundError, problemHandler, problemRoute } from './problem-handler';
import { oneAfterAnother, createRouter, type Router } from './router';
import { healthRoute, readyRoute, type Readiness } from './operability-routes';
import { requestObserver } from './request-observer';
import { rightAddress } from './right-address';
import { docsPage, docsPolicy } from './contract/docs-page';

export interface AppOptions {
  /** Name of the service. */
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Runs before every route that `routes` registers; see `authenticator`. Without it the routes are open. */
  readonly authenticate?: RequestHandler;
  /** Asked by `/readyz`. */
  readonly ready: () => Promise<Readiness>;
  readonly routes?: (router: Router) => void;
  /** Routes that anybody may call, without credentials. */
  readonly openRoutes?: (router: Router) => void;
  /** Says what the API is: then `/openapi.json` and `/docs` show the contract of the routes. */
  readonly api?: ApiInfo;
  /** Turns a reply that breaks the contract into a 500; for tests and staging. @default false */
  readonly checkReplies?: boolean;
  /** Largest request body, in bytes. @default 1 MB; a route may set its own */
  readonly bodyBytesMax?: number;
  /** Whether browsers of any origin may call. Safe with keys in headers: there are no cookies. @default false */
  readonly cors?: boolean;
  /** Paths whose replies may set a cookie in a browser of another origin. @default none */
  readonly cookiePaths?: readonly string[];
}

/**
 * An Express app with everything around the routes: request id, log line and metrics per request, `/healthz`,
 * `/readyz`, `/problems/{code}`, `/openapi.json` and `/docs`, 404, 405, and problem documents for whatever is thrown.
 */
export function createApp(o: AppOptions): Express {
  const app = express();
  const state = stateOf(app);
  if (o.bodyBytesMax !== undefined) state.bodyBytesMax = o.bodyBytesMax;
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  setOnEveryReply(app, [...replyHeaders(), ...(o.cors ? corsHeaders : [])]);
  const work = createRouter(o.service, o.authenticate);
  const open = createRouter(o.service);
  o.routes?.(work.router);
  o.openRoutes?.(open.router);
  const contract = o.api && buildDocument(o.api, [...work.routes, ...open.routes]);
  if (contract) state.contract = contract;
  const observe = requestObserver(o);
  const handlers = [
    observe,
    ...(contract && o.checkReplies ? [checkReplies(contract, o.logger)] : []),
    ...(o.cors ? [cors(o.cookiePaths)] : []),
    refuseNul,
    refuseHosts,
    // First, because a request for work should not walk past the probes.
    work.handle,
    open.handle,
    operability(o, state),
    ...(contract ? [contractRoutes(contract, o.service)] : []),
    unknownPath(o.service),
  ];
  app.use(oneAfterAnother(handlers), problemHandler);
  answerPathless(app, observe, problemHandler);
  return app;
}

/** The contract of an app that was given `api`. @throws DefectError for another one */
export function contractOfApp(app: Express): BuiltDocument {
  const { contract } = stateOf(app);
  if (contract) return contract;
  throw new DefectError({ code: 'service.defect', detail: 'this app has no contract' });
}

function operability(o: AppOptions, state: ReturnType<typeof stateOf>): RequestHandler {
  const { router, handle } = createRouter(o.service);
  router.get('/healthz', healthRoute);
  router.get('/readyz', readyRoute(o.ready, state));
  router.get('/problems/:code', problemRoute);
  return handle;
}

/** NUL in an id or a name could only come percent-encoded, and Postgres has no text for it. */
const refuseNul: RequestHandler = (req, _res, next) => {
  if (req.url.includes('%00')) {
    throw new InboundError({ code: 'request.invalid', detail: 'The address contains a NUL character (%00).' });
  }
  next();
};

/** Two answers to whom the request is for: a proxy may take the other one. Source: RFC 9112, 3.2. */
const refuseHosts: RequestHandler = ({ rawHeaders }, _res, next) => {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1)
    throw new InboundError({ code: 'request.invalid', detail: 'The request has more than one Host header.' });
  next();
};

const unknownPath =
  (service: string): RequestHandler =>
  (req) => {
    const remedy = rightAddress(req, service);
    throw new InboundError({
      code: 'request.path-unknown',
      detail: `There is nothing at ${req.path.slice(0, 200)}.`,
      ...(remedy !== undefined && { remedy }),
    });
  };

/** `GET /openapi.json` and `GET /docs`: the contract, for programs and for people. Open, as the contract is no secret. */
function contractRoutes({ document }: BuiltDocument, service: string): RequestHandler {
  const { router, handle } = createRouter(service);
  const text = JSON.stringify(document);
  let page: string | undefined;
  router.get('/openapi.json', (_req, res) => {
    res.setHeader('Content-Type', 'application/json');
    res.end(text);
  });
  router.get('/docs', (_req, res) => {
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.setHeader('Content-Security-Policy', docsPolicy);
    res.end((page ??= docsPage(document)));
  });
  return handle;
}
