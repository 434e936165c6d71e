import type { RequestHandler } from 'express';
import { DefectError } from '@sluice/errors';
import type { Authenticate } from './authenticator';
import type { RegisteredRoute, RouteHandler } from './contract/route-contract';
import { InboundError } from './problem-handler';
import { localsOf } from './request-state';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/**
 * Where a service registers its endpoints: whole paths in Express 5 syntax, each once per method.
 * A literal colon is escaped: `/v1/projects/:projectIdOrName/connections\\:generate`.
 */
export type Router = Readonly<Record<Method, (path: string, handler: RouteHandler) => void>>;

/** The parameters of a path: `{ readonly integrationId: string }` of `/v1/integrations/:integrationId`. */
export type ParametersOf<Path extends string> = { readonly [Name in NameOf<SegmentOf<Path>>]: string };
type SegmentOf<Path extends string> = Path extends `${infer First}/${infer Rest}` ? First | SegmentOf<Rest> : Path;
type NameOf<Part> = Part extends `:${infer Name}\\:${string}` ? Name : Part extends `:${infer Name}` ? Name : never;

/** One method at one path. */
interface Endpoint {
  /** As a request has it. */
  readonly method: string;
  /** Without the escapes. */
  readonly path: string;
  /** Whether a verb follows the last name: `:operationId\\:cancel`. */
  readonly isVerb: boolean;
  readonly handler: RequestHandler;
  /** Methods that the path takes. */
  readonly taken: ReadonlySet<string>;
}

/** @param authenticate runs before each registered route, and only there: an unknown path is 404 for everyone */
export function createRouter(
  service: string,
  authenticate?: Authenticate,
): {
  readonly router: Router;
  /** Finds the route of a request; 405 and OPTIONS are answered for every path that is registered. */
  readonly handle: RequestHandler;
  /** What is registered, in its order; grows. */
  readonly routes: readonly RegisteredRoute[];
} {
  const table = new RouteTable<Endpoint>();
  const known = new Map<string, Set<string>>();
  const routes: RegisteredRoute[] = [];
  const register = (verb: Method) => (path: string, handler: RouteHandler) => {
    const taken = known.get(path) ?? new Set();
    const method = verb.toUpperCase();
    if (taken.has(method)) throw new DefectError({ code: 'service.defect', detail: `${verb} ${path} twice` });
    known.set(path, taken.add(method));
    routes.push({ method: verb, path, isAuthenticated: authenticate !== undefined, contract: handler.contract });
    table.add(path, { method, path: plain(path), isVerb: path.includes('\\:'), handler, taken });
  };
  const router = Object.fromEntries(methods.map((method) => [method, register(method)])) as unknown as Router;
  const handle: RequestHandler = (req, res, next) => {
    const fitting = table.matches(req.path);
    // A path may fit two templates, `:id` and `:id:cancel`: no id ends like that.
    const verbs = fitting.filter(({ entry }) => entry.isVerb);
    const matches = verbs.length > 0 ? verbs : fitting;
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const match = matches.find(({ entry }) => entry.method === method);
    if (match === undefined)
      return matches[0] === undefined ? next() : refuseMethod(service, matches[0].entry)(req, res, next);
    const { path, handler } = match.entry;
    req.params = match.params();
    localsOf(res).route = path;
    const admitted = authenticate?.(req, res);
    return admitted instanceof Promise ? admitted.then(() => handler(req, res, next)) : handler(req, res, next);
  };
  return { router, handle, routes };
}

/** Answers OPTIONS, and refuses a method that the path does not take. */
function refuseMethod(service: string, { taken }: Endpoint): RequestHandler {
  const allow = [...taken, ...(taken.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
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
      ...rightAddress(req, service),
    });
  };
}

/** Behind every route. */
export function unknownPath(service: string): RequestHandler {
  return (req) => {
    throw new InboundError({
      code: 'request.path-unknown',
      detail: `There is nothing at ${req.path.slice(0, 200)}.`,
      ...rightAddress(req, service),
    });
  };
}

/** Headers that decide who asks, where and with what, by their names in lower case. */
const single = new Map(['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]));
const singleLengths = new Set([...single.keys()].map(({ length }) => length));

/** Refuses requests whose address or headers two readers could understand differently. */
export const refuseAmbiguous: RequestHandler = ({ url, rawHeaders }, _res, next) => {
  if (url.includes('%')) refuseEscapes(url);
  // A proxy may have read the other one. Source: RFC 9112, 3.2. Node takes the first of them, and says nothing.
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const shown = singleLengths.has(name.length) ? single.get(name.toLowerCase()) : undefined;
    if (shown === undefined) continue;
    if (seen.has(shown))
      throw new InboundError({ code: 'request.invalid', detail: `The request has more than one ${shown} header.` });
    seen.add(shown);
  }
  next();
};

/** @throws URIError for a broken percent-encoding: in a query it would be read as U+FFFD, and two texts would become one */
function refuseEscapes(url: string): void {
  // NUL in an id or a name could only come percent-encoded, and Postgres has no text for it.
  if (url.includes('%00')) {
    throw new InboundError({ code: 'request.invalid', detail: 'The address contains a NUL character (%00).' });
  }
  decodeURIComponent(url);
}

/**
 * Handlers as one, in the same order and with the same failures as in an Express app, which needs about a microsecond from one to the next.
 */
export function compose(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, leave) => {
    let at = 0;
    // Without a failure it would go on to what ends unknown paths.
    const fail = (thrown: unknown): void => leave(thrown || new Error('A handler failed without a reason'));
    const go = (failure?: unknown): void => {
      const handler = handlers[at];
      if (failure !== undefined || handler === undefined) return leave(failure);
      at += 1;
      try {
        const running: unknown = handler(req, res, go);
        if (running instanceof Promise) running.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    go();
  };
}

/** An API of the specification: its service, the port that this has by default, and what requests for it look like. */
interface Api {
  readonly name: string;
  readonly service: string;
  readonly port: number;
  readonly methods: RegExp;
  readonly path: RegExp;
}

/** The first that fits has the request. Source: the specification, base URLs. */
const apis: readonly Api[] = [
  {
    name: 'write',
    service: 'write-gateway',
    port: 4300,
    methods: /^(POST|OPTIONS)$/,
    path: /^\/v1\/projects\/[^/]+\/integrations\/[^/]+\/objects\/[^/]+\/?$/,
  },
  {
    name: 'search',
    service: 'search',
    port: 4200,
    methods: /^(POST|OPTIONS)$/,
    path: /^\/v1\/projects\/[^/]+\/integrations\/[^/:]+\/?$/,
  },
  {
    name: 'management',
    service: 'management',
    port: 4100,
    methods: /^/,
    path: /^\/v1\/(projects|providers|oauth-connect|generate-upload-url)(\/|$)/,
  },
];

/**
 * Where a request belongs for which this service has no route: under `/v1`, under it once, or at another of the three base URLs.
 * @returns a remedy; none for what no API has, or what only has a mistake behind its first segments
 */
function rightAddress(
  { method, path }: { method: string; path: string },
  service: string,
): { readonly remedy?: string } {
  const meant = /^\/v1(\/|$)/.test(path) ? path.replace(/^(\/v1)+(?=\/v1(\/|$))/, '') : `/v1${path}`;
  const api = apis.find((one) => one.methods.test(method) && one.path.test(meant));
  if (api === undefined) return {};
  const shown = meant.slice(0, 200);
  if (api.service !== service) {
    const address = `the base URL of the ${api.name} API (port ${api.port} unless it was set otherwise)`;
    return { remedy: `Send it to ${address}, as ${method} ${shown}.` };
  }
  return meant === path ? {} : { remedy: `Send it as ${method} ${shown}: a base URL ends with /v1, once.` };
}

/** Values of a path's parameters, decoded. */
export type PathParameters = Readonly<Record<string, string>>;

/** A route whose path fits a request. */
interface RouteMatch<Entry> {
  readonly entry: Entry;
  /** @throws URIError for a broken percent-encoding */
  readonly params: () => PathParameters;
}

/** `text` is the whole segment, or what follows the parameter `name`. */
interface Segment {
  readonly text: string;
  readonly name?: string;
}

interface Row<Entry> {
  readonly segments: readonly Segment[];
  readonly entry: Entry;
}

/**
 * Paths by their number of segments, which leaves a handful to try of the sixty that management has; a text that differs ends
 * a try. Express tries regular expressions one after the other, and walks each route that fits in steps of a microsecond.
 */
export class RouteTable<Entry> {
  private readonly bySegments = new Map<number, Row<Entry>[]>();
  private readonly beginnings: Row<Entry>[] = [];

  /**
   * @param path in Express 5 syntax, as far as our API needs it: whole segments. One may be a parameter, with or without a text behind it
   * (`/v1/operations/:operationId\\:cancel`). At the end, `*rest` stands for one segment or more and is no parameter: the sandbox's.
   */
  add(path: string, entry: Entry): void {
    const parts = splitPath(path);
    const hasRest = parts.at(-1) === '*rest';
    const segments = (hasRest ? parts.slice(0, -1) : parts).map(toSegment);
    const rows = hasRest ? this.beginnings : (this.bySegments.get(segments.length) ?? []);
    if (!hasRest) this.bySegments.set(segments.length, rows);
    rows.push({ segments, entry });
  }

  /** Each that matches, in the order of their addition, those with `*rest` after all others. Case counts; one slash at the end does not. */
  matches(path: string): readonly RouteMatch<Entry>[] {
    const sent = splitPath(path);
    const longer = this.beginnings.filter(({ segments }) => Boolean(sent[segments.length]));
    const rows = [...(this.bySegments.get(sent.length) ?? []), ...longer].filter(({ segments }) =>
      fits(segments, sent),
    );
    return rows.map(({ segments, entry }) => ({ entry, params: () => readParameters(segments, sent) }));
  }
}

/** Without the slash at the beginning, and one at the end. */
function splitPath(path: string): string[] {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(1, end).split('/');
}

const parameter = /^:([A-Za-z]+)(|\\:[a-z-]+)$/;
const literal = /^(?:[^:*{}()[\]+?!\\]|\\:)*$/;

function toSegment(text: string): Segment {
  const found = parameter.exec(text);
  if (found) return { name: found[1] ?? '', text: plain(found[2] ?? '') };
  if (literal.test(text)) return { text: plain(text) };
  throw new DefectError({ code: 'service.defect', detail: `a path has the segment ${text}, which no route can have` });
}

const plain = (text: string): string => text.replaceAll('\\', '');

function fits(segments: readonly Segment[], sent: readonly string[]): boolean {
  for (let at = 0; at < segments.length; at += 1) {
    const { text, name } = segments[at] as Segment;
    const value = sent[at] as string;
    if (name === undefined ? value !== text : value.length <= text.length || !value.endsWith(text)) return false;
  }
  return true;
}

function readParameters(segments: readonly Segment[], sent: readonly string[]): PathParameters {
  const params: Record<string, string> = {};
  for (let at = 0; at < segments.length; at += 1) {
    const { text, name } = segments[at] as Segment;
    if (name === undefined) continue;
    const value = sent[at] as string;
    const own = text === '' ? value : value.slice(0, -text.length);
    params[name] = own.includes('%') ? decodeURIComponent(own) : own;
  }
  return params;
}
