import { route, type ParametersOf, type Reply, type RouteOptions, type RouteRequest, type Router } from '@sluice/http';
import { limits, type Caller, type Described, type JsonSchema } from '@sluice/types';

/** `P` of the published API. */
export const projectPath = '/v1/projects/:projectIdOrName';

/** Text that a query filters by. */
export const filterText = { type: 'string', minLength: 1 } as const;

/** A switch of a query that is off unless it is sent. */
export const offByDefault = { type: 'boolean', default: false } as const;

/** A query of these parameters and no others: a misspelt or unsupported one is refused, not ignored. */
export function queryOf<const Properties extends object, const Required extends keyof Properties = never>(
  properties: Properties,
  ...required: Required[]
) {
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

const noQuery = queryOf({});

/** Header of the reply of a list that is given whole unless a page is asked for. */
export const linkToNext = {
  Link: { description: 'rel="next": the next page, when a page was asked for and it is not the last.' },
} as const;

/**
 * What a list of stored bodies takes of memory while it is sent: one statement's megabyte as it was read, as its value and as the text that is
 * written, each with two bytes a character where one needs them. Fifty at once with a third of it ended a service of 256 MiB.
 */
export const listBytesMax = 4 * limits.pageBytesMax;

/** A request as what changes something on its behalf takes it. */
export interface Sent<Body, Query = unknown> {
  readonly caller: Caller;
  readonly query: Query;
  readonly body: Body;
  readonly traceparent: string;
}

type Description = Omit<RouteOptions<object>, 'params' | 'query' | 'body' | 'admit' | 'handle'>;

/** Where routes with a path in common stand, and what else they have in common. */
interface Group<Base extends string, Named> extends Description {
  readonly path: Base;
  /** What the path names; runs after the checks of scope, query and body. @throws NotFoundError */
  readonly find: (request: RouteRequest<{ params: ParametersOf<Base> }>) => Promise<Named> | Named;
}

interface Options<Path extends string, Query, Body, Named> extends Description {
  /** @default none is taken */
  readonly query?: Query;
  readonly body?: Body;
  readonly admit?: (request: RouteRequest<PartsOf<Path, Query, Body>>) => Promise<void> | void;
  readonly handle: (request: RouteRequest<PartsOf<Path, Query, Body>>, named: Named) => Promise<Reply> | Reply;
}

/** The parts of a request, as the path and the schemas describe them. */
interface PartsOf<Path extends string, Query, Body> {
  readonly params: ParametersOf<Path>;
  readonly query: Described<Query>;
  readonly body: Described<Body>;
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Registers a route: the rest of its path, and its options. The types of the request follow from both. */
export type Routes<Base extends string, Named> = Readonly<
  Record<
    (typeof verbs)[number],
    <Rest extends string, const Query extends JsonSchema = typeof noQuery, const Body extends JsonSchema = JsonSchema>(
      rest: Rest,
      options: Options<`${Base}${Rest}`, Query, Body, Named>,
    ) => void
  >
>;

/** Routes under one path: each handler gets the request, and what the path names. */
export function routesUnder<Base extends string, Named>(
  router: Router,
  { path, find, ...shared }: Group<Base, Named>,
): Routes<Base, Named> {
  const register = (verb: (typeof verbs)[number]) => {
    return (rest: string, { handle, ...own }: Options<string, JsonSchema, JsonSchema, Named>) => {
      const options = { query: noQuery, ...shared, ...own };
      router[verb](path + rest, route({ ...options, handle: async (request) => handle(request, await find(request)) }));
    };
  };
  return Object.fromEntries(verbs.map((verb) => [verb, register(verb)])) as unknown as Routes<Base, Named>;
}
