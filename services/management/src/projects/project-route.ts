import { route, type Reply, type RouteOptions, type RouteRequest } from '@sluice/http';
import type { Project } from '@sluice/types';
import type { ManagementContext } from '../context';
import { noQuery } from '../paths';
import { getProject } from './get-project';

interface ProjectParts {
  readonly params: { readonly projectIdOrName: string };
  readonly query?: unknown;
  readonly body?: unknown;
}

/** Options of `route`, except that a query is refused unless one is described, and that the handler also gets what the path names. */
export interface NamedRouteOptions<P extends ProjectParts, Named> extends Omit<RouteOptions<P>, 'handle'> {
  readonly handle: (request: RouteRequest<P>, named: Named) => Promise<Reply> | Reply;
}

/**
 * A route under a project's path: the handler gets the project. Another project's name or id is answered as one that does not exist (404
 * `project.not-found`), after the checks of scope, path, query and body.
 */
export function projectRoute<P extends ProjectParts>(
  context: ManagementContext,
  { handle, ...options }: NamedRouteOptions<P, Project>,
): ReturnType<typeof route> {
  return route<P>({
    query: noQuery,
    ...options,
    handle: async (request) => {
      const { caller, params } = request;
      return await handle(request, await getProject(context, caller, params.projectIdOrName));
    },
  });
}
