import { json, type Router } from '@sluice/http';
import type { StoredLane } from '@sluice/store';
import { laneListReplySchema, pageProperties, type Lane } from '@sluice/types';
import { readLaneWindows } from '@sluice/writes';
import type { ManagementContext } from '../context';
import { byId, readPage, type PagedQuery } from '../operation-pages';
import { projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';

interface LaneParts {
  readonly params: { projectIdOrName: string };
  readonly query: PagedQuery;
}

const pageQuery = { type: 'object', additionalProperties: false, properties: pageProperties } as const;

/** `GET P/lanes`: always paged. Not for bearer tokens: one account may serve several groups, and a lane names them. */
export function laneRoutes(router: Router, context: ManagementContext): void {
  router.get(
    `${projectPath}/lanes`,
    projectRoute<LaneParts>(context, {
      operationId: 'listLanes',
      summary: 'List the lanes of a project',
      description:
        "A lane is the queue of one provider account: what waits in it, what is left of the provider's quota, and until when a refusal blocks it.",
      tags: ['Operations'],
      replies: { 200: json(laneListReplySchema) },
      scopes: ['frontend', 'read'],
      query: pageQuery,
      handle: async ({ query }, { id: projectId }) => {
        const { results, pagination } = await readPage(query, byId, (afterId, limit) =>
          context.store.lanes.list(projectId, { limit, ...(afterId === undefined ? {} : { afterId }) }),
        );
        return { body: { results: await withQuotas(context, results), pagination } };
      },
    }),
  );
}

/** A provider of a file that is gone has no limit that anybody knows. */
async function withQuotas({ connectors, hints }: ManagementContext, lanes: readonly StoredLane[]): Promise<Lane[]> {
  const declared = lanes.flatMap(({ projectId, id, provider }) => {
    const connector = connectors.find(provider);
    return connector === undefined ? [] : [{ projectId, laneId: id, declared: connector.capabilities.quota }];
  });
  const windows = await readLaneWindows(hints, declared);
  const windowOf = new Map(declared.map(({ laneId }, index) => [laneId, windows[index]]));
  return lanes.map((lane) => {
    const window = windowOf.get(lane.id);
    if (window === undefined) return lane;
    const { windowMs, ...quota } = window;
    return { ...lane, quota: { ...quota, windowSeconds: windowMs / 1_000 } };
  });
}
