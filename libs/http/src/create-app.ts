import express, { type Express, type RequestHandler } from 'express';
import type { Logger, Metrics, Readiness } from '@sluice/telemetry';
import { DefectError } from '@sluice/errors';
import type { Authenticate } from './authenticator';
import { buildDocument } from './contract/build-document';
import type { ApiInfo, BuiltDocument } from './contract/route-contract';
import { InboundError, problemHandler, problemRoute } from './problem-handler';
import { requestObserver } from './request-state';
import { stateOf, type AppState } from './request-state';
import { compose, createRouter, refuseAmbiguous, unknownPath, type Router } from './router';
import { cors, corsHeaders, replyHeaders, sendContent, sendJson } from './send-reply';

export interface AppOptions {
  /** Name of the service. */
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Runs before every route that `routes` registers; see `authenticator`. Without it the routes are open. */
  readonly authenticate?: Authenticate;
  /** Of `/readyz`: the last results, as `watchHealth` has them. */
  readonly ready: () => Readiness;
  readonly routes?: (router: Router) => void;
  /** Routes that anybody may call, without credentials. */
  readonly openRoutes?: (router: Router) => void;
  /** Says what the API is: then `/openapi.json` shows the contract of the routes. */
  readonly api?: ApiInfo;
  /** Whether browsers of any origin may call. Safe with keys in headers: there are no cookies. @default false */
  readonly cors?: boolean;
  /** Paths whose replies may set a cookie in a browser of another origin. @default none */
  readonly cookiePaths?: readonly string[];
}

/**
 * An Express app with everything around the routes: request id, log line and metrics per request, `/healthz`, `/readyz`, `/problems/{code}`,
 * `/openapi.json`. It answers 404, 405, and a problem document for whatever is thrown.
 */
export function createApp(o: AppOptions): Express {
  const app = express();
  const state = stateOf(app);
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  const work = createRouter(o.service, o.authenticate);
  const open = createRouter(o.service);
  o.routes?.(work.router);
  o.openRoutes?.(open.router);
  if (o.api) state.contract = buildDocument(o.api, [...work.routes, ...open.routes]);
  const observe = requestObserver({ ...o, headers: new Map([...replyHeaders, ...(o.cors ? corsHeaders : [])]) });
  const handlers = [
    observe,
    ...(o.cors ? [cors(o.cookiePaths)] : []),
    refuseAmbiguous,
    // Before the probes, which are rarer.
    work.handle,
    open.handle,
    operability(o, state),
    unknownPath(o.service),
  ];
  app.use(compose(handlers), problemHandler);
  // An address without a path, as `http://?x` in the absolute form of a request target.
  const pathless = 'The address of the request is not valid: it has no path.';
  state.refuseUnrouted = (req, res) =>
    observe(req, res, () => {
      problemHandler(new InboundError({ code: 'request.invalid', detail: pathless }), req, res, () => undefined);
    });
  return app;
}

/** The contract of an app that was given `api`. @throws DefectError for another one */
export function contractOfApp(app: Express): BuiltDocument {
  const { contract } = stateOf(app);
  if (contract) return contract;
  throw new DefectError({ code: 'service.defect', detail: 'this app has no contract' });
}

function operability(o: AppOptions, state: AppState): RequestHandler {
  const { router, handle } = createRouter(o.service);
  // Never calls a dependency: a restart does not heal the database.
  router.get('/healthz', (_req, res) => sendJson(res, 200, { status: 'ok' }));
  router.get('/readyz', readyRoute(o.ready, state));
  router.get('/problems/:code', problemRoute);
  if (state.contract) {
    // For programs, and open, as it is no secret. The same bytes for every connection: a text would be encoded anew for each.
    const content = Buffer.from(JSON.stringify(state.contract.document));
    router.get('/openapi.json', (_req, res) => sendContent(res, 200, { contentType: 'application/json', content }));
  }
  return handle;
}

/** `/readyz`: 200 or 503 with the checks. It asks nobody, so probes cost nothing and wait for nothing. */
function readyRoute(ready: () => Readiness, state: AppState): RequestHandler {
  return (_req, res) => {
    const readiness = state.draining ? { ready: false, checks: { process: 'is shutting down' } } : ready();
    sendJson(res, readiness.ready ? 200 : 503, { status: readiness.ready ? 'ready' : 'not ready', ...readiness });
  };
}
