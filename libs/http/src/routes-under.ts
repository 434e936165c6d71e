import type { Described, JsonSchema } from '@sluice/types';
import { route, type Reply, type RouteOptions, type RouteRequest } from './route';
import type { ParametersOf, Router } from './router';

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

type Description = Omit<RouteOptions<object>, 'operationId' | 'query' | 'body' | 'admit' | 'handle'>;

/** What routes under one path have in common: what the path names, and parts of their descriptions. */
interface Group<Base extends string, Outer, Named> extends Description {
  /**
   * Runs after the checks of scope, query and body.
   * @param outer what the path around this one names
   * @throws NotFoundError
   */
  readonly find: (request: RouteRequest<{ params: ParametersOf<Base> }>, outer: Outer) => Promise<Named> | Named;
}

interface Options<Path extends string, Query, Body, Named> extends Description {
  /** @default no parameter is taken; `{}` takes any */
  readonly query?: Query;
  readonly body?: Body;
  readonly admit?: (request: RouteRequest<PartsOf<Path, Query, Body>>) => unknown;
  /** Gives the body of the one reply that `replies` describes; undefined where that has none. */
  readonly answer?: (request: RouteRequest<PartsOf<Path, Query, Body>>, named: Named) => unknown;
  /** In place of `answer`, where there is more to a reply than its body. */
  readonly handle?: (request: RouteRequest<PartsOf<Path, Query, Body>>, named: Named) => Promise<Reply> | Reply;
}

/** The parts of a request, as the path and the schemas describe them. */
interface PartsOf<Path extends string, Query, Body> {
  readonly params: ParametersOf<Path>;
  readonly query: Described<Query>;
  readonly body: Described<Body>;
}

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Registers a route: the rest of its path, its `operationId`, and its options. The types of the request follow from path and options. */
type Register<Base extends string, Named> = <
  Rest extends string,
  const Query extends JsonSchema = typeof noQuery,
  const Body extends JsonSchema = JsonSchema,
>(
  rest: Rest,
  operationId: string,
  options: Options<`${Base}${Rest}`, Query, Body, Named>,
) => void;

/** Routes under one path: each handler gets the request, and what the path names. */
export type Routes<Base extends string, Named> = Readonly<Record<(typeof verbs)[number], Register<Base, Named>>> & {
  /** Routes further down: `find` gets what this path names, and their handlers what `find` gives. */
  readonly under: <Rest extends string, Inner>(
    rest: Rest,
    group: Group<`${Base}${Rest}`, Named, Inner>,
  ) => Routes<`${Base}${Rest}`, Inner>;
};

export function routesUnder<Base extends string, Named>(
  router: Router,
  base: Base,
  { find, ...shared }: Group<Base, undefined, Named>,
): Routes<Base, Named> {
  const register = (verb: (typeof verbs)[number]) => {
    return (rest: string, operationId: string, options: Options<string, JsonSchema, JsonSchema, Named>) => {
      const { answer, handle, ...own } = { query: noQuery, ...shared, ...options };
      const [status] = Object.keys(own.replies ?? {}).map(Number);
      const replyTo = async (request: RouteRequest<PartsOf<Base, JsonSchema, JsonSchema>>): Promise<Reply> => {
        const named = await find(request, undefined);
        return handle ? await handle(request, named) : { status, body: await answer?.(request, named) };
      };
      router[verb](base + rest, route({ ...own, operationId, handle: replyTo }));
    };
  };
  return {
    ...Object.fromEntries(verbs.map((verb) => [verb, register(verb)])),
    under: (rest: string, inner: Group<string, Named, unknown>) => {
      const both = { ...shared, ...inner };
      const findInner: Group<string, undefined, unknown>['find'] = async (request) =>
        inner.find(request, await find(request, undefined));
      return routesUnder(router, base + rest, { ...both, find: findInner });
    },
  } as unknown as Routes<Base, Named>;
}
