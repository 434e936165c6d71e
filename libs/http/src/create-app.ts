import express, { type Express, type RequestHandler } from 'express';
import type { Logger, Metrics } from '@sluice/telemetry';
import { stateOf } from './app-state';
import { cors } from './cors';
import { InboundError } from './inbound-error';
import { healthRoute, metricsRoute, readyRoute, type Readiness } from './operability-routes';
import { problemHandler } from './problem-handler';
import { problemRoute } from './problem-page';
import { requestObserver } from './request-observer';
import { replyHeaders } from './reply-headers';
import { createRouter, type Router } from './router';

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
  /** Largest request body, in bytes. @default 1 MB; a route may set its own */
  readonly bodyBytesMax?: number;
  /** Whether browsers of any origin may call. Safe with keys in headers: there are no cookies. @default false */
  readonly cors?: boolean;
}

/**
 * An Express app with everything around the routes: request id, log line and metrics per request, `/healthz`,
 * `/readyz`, `/metrics`, `/problems/{code}`, 404, 405, and problem documents for whatever is thrown.
 */
export function createApp(o: AppOptions): Express {
  const app = express();
  const state = stateOf(app);
  if (o.bodyBytesMax !== undefined) state.bodyBytesMax = o.bodyBytesMax;
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use(requestObserver(o), replyHeaders());
  if (o.cors) app.use(cors);
  app.use(refuseNul);
  const { router, complete } = createRouter(o.authenticate);
  o.routes?.(router);
  // First, because a request for work should not walk past the probes.
  app.use(complete());
  app.use(operability(o, state));
  app.use(unknownPath, problemHandler);
  return app;
}

function operability(o: AppOptions, state: ReturnType<typeof stateOf>): RequestHandler {
  const { router, complete } = createRouter(undefined);
  router.get('/healthz', healthRoute);
  router.get('/readyz', readyRoute(o.ready, state));
  router.get('/metrics', metricsRoute(o.metrics));
  router.get('/problems/:code', problemRoute);
  return complete();
}

/** NUL in an id or a name could only come percent-encoded, and Postgres has no text for it. */
const refuseNul: RequestHandler = (req, _res, next) => {
  if (req.url.includes('%00')) {
    throw new InboundError({ code: 'request.invalid', detail: 'The address contains a NUL character (%00).' });
  }
  next();
};

const unknownPath: RequestHandler = (req) => {
  throw new InboundError({ code: 'request.path-unknown', detail: `There is nothing at ${req.path.slice(0, 200)}.` });
};
