import type { route } from '@sluice/http';
import type { Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { projectRoute, type NamedRouteOptions } from '../projects/project-route';
import { getIntegration } from './get-integration';

interface IntegrationParts {
  readonly params: { readonly projectIdOrName: string; readonly integrationId: string };
  readonly query?: unknown;
  readonly body?: unknown;
}

/** A route under an integration's path: the handler gets the integration (404 `integration.not-found`), which has its project's id. */
export function integrationRoute<P extends IntegrationParts>(
  context: ManagementContext,
  { handle, ...options }: NamedRouteOptions<P, Integration>,
): ReturnType<typeof route> {
  return projectRoute<P>(context, {
    ...options,
    handle: async (request, project) =>
      await handle(request, await getIntegration(context, project.id, request.params.integrationId)),
  });
}
