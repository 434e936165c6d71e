import type { Request, RequestHandler, Response } from 'express';
import { DefectError, type SluiceError, problems } from '@sluice/errors';
import {
  HeldBytes,
  type Logger,
  type Metrics,
  type Step,
  ByteBudget,
  heapShare,
  startStep,
  type Owners,
} from '@sluice/telemetry';
import type { Caller } from '@sluice/types';
import { randomUUID } from 'node:crypto';
import type { BuiltDocument } from './contract/route-contract';
import { isUnread } from './unread';

/** What the server and the routes of one app share. */
export interface AppState {
  readonly budgets: ByteBudgets;
  /** True once the server is closing: the app is alive, and no longer ready. */
  draining: boolean;
  /** What the app's routes promise; absent when it has no API. */
  contract?: BuiltDocument;
  /** Answers a request for which Express calls no handler. */
  refuseUnrouted?: (req: Request, res: Response) => void;
}

/**
 * Bytes that a process holds at once. A body counts from before it is read until its request is answered. It costs several times its size: its
 * text, its parsed value, the plans made of it and what is sent of them.
 */
export interface ByteBudgets {
  /** Small bodies have a budget of their own, so that no large one holds them up. */
  readonly small: ByteBudget;
  readonly large: ByteBudget;
  /** Replies made of rows or of a provider's answer, until they are sent. */
  readonly replies: ByteBudget;
}

/**
 * Divisors of the heap. A write of 4.8 MB takes 45 MB of a gateway until its reply (tests/memory), nine times its budget. Large bodies of all
 * callers therefore fill a third of the heap.
 */
const heapShares = { large: 24, small: 32, replies: 12 };

const states = new WeakMap<object, AppState>();

/** State of an app, also of one that createApp has not made. */
export function stateOf(app: object): AppState {
  let state = states.get(app);
  if (!state) {
    state = { budgets: createBudgets(), draining: false };
    states.set(app, state);
  }
  return state;
}

function createBudgets(): ByteBudgets {
  const budgetOf = (share: number): ByteBudget => new ByteBudget(heapShare(share));
  return {
    small: budgetOf(heapShares.small),
    large: budgetOf(heapShares.large),
    replies: budgetOf(heapShares.replies),
  };
}

/** What this package knows about one request. Kept in `res.locals`. */
export interface RequestLocals {
  requestId: string;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** The request as a step of its trace; absent for what is not part of the API: probes, pages. */
  step?: Step;
  /** Template of the matched route, for metrics; absent when none matched. */
  route?: string;
  /** Set by the authenticator. */
  caller?: Caller;
  /** What it holds of budgets; see `heldOf`. */
  held?: HeldBytes;
  /** What the problem handler presented; logged with the request, once. */
  failure?: SluiceError;
}

export function localsOf(res: Response): RequestLocals {
  return res.locals as RequestLocals;
}

/** Who sent the request. @throws DefectError on a route without an authenticator */
export function callerOf(res: Response): Caller {
  const { caller } = localsOf(res);
  if (!caller)
    throw new DefectError({ code: 'service.defect', detail: 'a route needs a caller and does not check one' });
  return caller;
}

/** What a request takes of budgets: released when its reply is complete or its caller has left. */
export function heldOf(res: Response): HeldBytes {
  const locals = localsOf(res);
  if (locals.held === undefined) {
    const held = new HeldBytes(...ownersOf(locals.caller));
    locals.held = held;
    held.giveWay = () => {
      if (!isUnread(res) && !isLongSent(res)) return;
      res.destroy();
      held.end();
    };
    res.on('close', () => held.end());
    // The caller may have left during the lookup of the key: then `close` came before this listener.
    if (res.closed || res.destroyed) held.end();
  }
  return locals.held;
}

/** For how long a client may read while another caller, who holds nothing, waits for what its reply holds. */
const sentForMs = 60_000;

function isLongSent(res: Response): boolean {
  return res.headersSent && performance.now() - localsOf(res).startedAt >= sentForMs;
}

/**
 * In whose shares the request of a caller counts. All keys of a project are one owner, because a project can make any number of them. The tokens of
 * all its groups are another owner, so they take nothing from the share of its backend. Each group is an owner within that one.
 */
function ownersOf(caller: Caller | undefined): Owners {
  if (caller === undefined) return ['anonymous'];
  const { kind, keyId, projectId, groupRef } = caller;
  if (kind === 'token') return [`tokens:${projectId}`, `token:${projectId}/${groupRef}`];
  return [projectId === undefined ? `${kind}:${keyId}` : `project:${projectId}`];
}

/** A sane id: what is safe in a log line, a header and a URI reference. */
const saneId = /^[A-Za-z0-9._~-]{1,128}$/;
/** Not an HTTP status: the caller left before the reply was complete. As nginx counts it. */
const clientClosed = 499;

/** What is traced: the API. Probes every few seconds are not worth a trace, and neither are a scanner's requests. */
const traced = '/v1/';

/** Gives each request its id and its trace context, and its reply the headers of every reply; logs and measures it when its reply is done. */
export function requestObserver(o: {
  readonly service: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** A reply that sets one of them itself keeps its own. */
  readonly headers: Map<string, string>;
}): RequestHandler {
  const meter = requestMeter(o.metrics);
  return (req, res, next) => {
    const locals = beginLocals(req, res);
    res.setHeaders(o.headers).setHeader('X-Request-Id', locals.requestId);
    // Not `once`, which makes a function more: a reply closes but once.
    if (!req.url.startsWith(traced)) {
      res.on('close', () => observe(o.logger, meter, req, res));
      next();
      return;
    }
    const step = startRequest(o.service, req, res);
    locals.step = step;
    res.on('close', () => {
      observe(o.logger, meter, req, res);
      step.end(failureOf(res));
    });
    step.run(next);
  };
}

/** Instead of Express's object without a prototype, whose members are found by hashing. */
function beginLocals(req: Request, res: Response): RequestLocals {
  const presented = req.headers['x-request-id'];
  const requestId = typeof presented === 'string' && saneId.test(presented) ? presented : randomUUID();
  const locals: RequestLocals = { requestId, startedAt: performance.now() };
  res.locals = locals as typeof res.locals & RequestLocals;
  return locals;
}

function startRequest(service: string, req: Request, res: Response): Step {
  const { requestId, startedAt } = localsOf(res);
  const parent = req.headers['traceparent'];
  return startStep({
    service,
    name: req.method,
    kind: 'request',
    isOfCaller: true,
    parent: typeof parent === 'string' ? parent : undefined,
    logged: { requestId },
    startedAtMs: startedAt,
    atEnd: () => {
      const { route = 'unmatched', caller, failure } = localsOf(res);
      const facts = { method: req.method, route, status: statusOf(res, failure) };
      return {
        name: `${req.method} ${route}`,
        facts: caller?.projectId === undefined ? facts : { ...facts, projectId: caller.projectId },
      };
    },
  });
}

/** A refusal by a rule of ours is no failure: it leaves nothing behind, and the caller reads why. */
function failureOf(res: Response): string | undefined {
  const { failure } = localsOf(res);
  return statusOf(res, failure) >= 500 ? (failure?.code ?? 'http.broken-off') : undefined;
}

function observe(logger: Logger, meter: RequestMeter, req: Request, res: Response): void {
  const { startedAt, route = 'unmatched', failure, step } = localsOf(res);
  const status = statusOf(res, failure);
  const durationMs = performance.now() - startedAt;
  meter(req.method, route, status, durationMs / 1000);
  auditPerson(logger, req, res, status);
  const level = levelOf(status, failure);
  if (!logger.writes(level)) return;
  const write = (): void => logger[level](lineOf(req, res, { status, durationMs, level }), 'http.request');
  // The socket's events do not know whose request it is.
  if (step === undefined) write();
  else step.run(write);
}

/** What people do is rare, and somebody asks later who did it. Not by a name: a person chooses that at the provider. */
function auditPerson(logger: Logger, req: Request, res: Response, status: number): void {
  const { caller, requestId } = localsOf(res);
  if (caller?.kind !== 'person' || req.method === 'GET' || req.method === 'HEAD') return;
  const { keyId: person, account, scopes } = caller;
  logger.info({ person, ...account, scopes, requestId, method: req.method, path: req.path, status }, 'person.changed');
}

type Level = 'debug' | 'info' | 'error';

function lineOf(req: Request, res: Response, of: { status: number; durationMs: number; level: Level }): object {
  const { requestId, route = 'unmatched', caller, failure } = localsOf(res);
  return {
    requestId,
    method: req.method,
    route,
    status: of.status,
    durationMs: Math.round(of.durationMs * 100) / 100,
    ...(caller ? { keyId: caller.keyId, projectId: caller.projectId } : {}),
    ...(failure ? { code: failure.code, meta: failure.meta } : {}),
    // A text about a caller's request, or about a provider's reply to it, may quote what a customer wrote.
    ...(of.level === 'error' ? { detail: failure?.detail, error: failure } : {}),
  };
}

/** A reply that broke off is counted by the reason, whatever status went out before. */
function statusOf(res: Response, failure: SluiceError | undefined): number {
  if (res.writableFinished) return res.statusCode;
  return failure ? problems[failure.code].status : clientClosed;
}

/**
 * `error` only where a person of ours must act: a provider's failure is shown as 5xx and is not ours.
 * A success is `debug`, because the histogram counts it: a line for each costs a fifth of the requests per second.
 */
function levelOf(status: number, failure: SluiceError | undefined): Level {
  if (!failure) return status >= 400 ? 'info' : 'debug';
  const shown = problems[failure.code].status;
  return shown === 500 || shown === 503 ? 'error' : 'info';
}

/** Counts a request that is over. `status` is the one that is logged, `seconds` the time it took. */
type RequestMeter = (method: string, route: string, status: number, seconds: number) => void;

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Methods that routes have. A client can send thirty others, which are one series together. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const);
type Method = typeof methods extends Set<infer M> ? M : never;

/** The replies with which we say that the fault is ours; a provider's failure is shown as 502 or 504. */
const ourFaults: ReadonlySet<number> = new Set([500, 503]);

/** Each series is looked up under one string and made once: this runs for every request. */
export function requestMeter(metrics: Metrics): RequestMeter {
  const durations = metrics.histogram('sluice_http_request_duration_seconds');
  const failures = metrics.counter('sluice_http_failures_total');
  const known = new Map<string, { observe(value: number): void }>();
  const seriesOf = (method: string, route: string, status: number) => {
    const series = durations.labels({
      method: methods.has(method as Method) ? (method as Method) : 'other',
      route,
      status: classes[Math.floor(status / 100) - 1] ?? '5xx',
    });
    // Its failures begin at 0 with its first request: what first appears at 1 never grew.
    failures.inc({ route }, 0);
    return series;
  };
  return (method, route, status, seconds) => {
    const key = `${method} ${Math.floor(status / 100)} ${route}`;
    let series = known.get(key);
    if (series === undefined) known.set(key, (series = seriesOf(method, route, status)));
    series.observe(seconds);
    if (ourFaults.has(status)) failures.inc({ route });
  };
}
