import { json, route, type Router } from '@sluice/http';
import { NotFoundError } from '@sluice/errors';
import type { StoredLane } from '@sluice/store';
import { laneListReplySchema, pageProperties, type Lane } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getProject } from '../get-project';
import { byId, readPage, type PagedQuery } from '../operation-pages';
import { projectPath } from './paths';

interface LaneParts {
  readonly params: { projectIdOrName: string };
  readonly query: PagedQuery;
}

const pageQuery = { type: 'object', additionalProperties: false, properties: pageProperties } as const;

/** `GET P/lanes`: always paged. Not for bearer tokens: one account may serve several groups, and a lane names them. */
export function laneRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/lanes`,
    route<LaneParts>({
      operationId: 'listLanes',
      summary: 'List the lanes of a project',
      description:
        "A lane is the queue of one provider account: what waits in it, the provider's quota, and until when a refusal blocks it.",
      tags: ['Operations'],
      replies: { 200: json(laneListReplySchema) },
      scopes: ['frontend', 'read'],
      query: pageQuery,
      handle: async ({ caller, params, query }) => {
        const { id: projectId } = await getProject(context, caller, params.projectIdOrName);
        const { results, pagination } = await readPage(query, byId, (afterId, limit) =>
          context.store.lanes.list(projectId, { limit, ...(afterId === undefined ? {} : { afterId }) }),
        );
        return { body: { results: results.map((lane) => withQuota(context, lane)), pagination } };
      },
    }),
  );
}

/** A provider of a file that is gone has no limit that anybody knows. */
function withQuota({ connectors }: ManagementContext, lane: StoredLane): Lane {
  try {
    const { limit, windowMs } = connectors.get(lane.provider).capabilities.quota;
    return { ...lane, quota: { limit, windowSeconds: windowMs / 1_000 } };
  } catch (error) {
    if (error instanceof NotFoundError) return lane;
    throw error;
  }
}
