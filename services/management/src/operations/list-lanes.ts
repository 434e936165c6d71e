import type { StoredLane } from '@sluice/store';
import {
  firstWithin,
  limits,
  sickFirst,
  type Lane,
  type LaneListReply,
  type Operation,
  type PageQuery,
} from '@sluice/types';
import { readLaneWindows } from '@sluice/writes';
import type { ManagementContext } from '../context';
import { byId, paginationOf, positionOf, readPage } from '../pages';

export const laneOrders = ['oldest-first', 'sick-first'] as const;

interface LaneQuery extends PageQuery {
  readonly waiting?: boolean;
  readonly order?: (typeof laneOrders)[number];
  readonly search?: string;
}

/** A page of lanes: oldest first, or what ails first and then the others, oldest first. */
export async function listLanes(
  context: ManagementContext,
  projectId: string,
  { waiting: isWaiting = false, order, search, ...page }: LaneQuery,
): Promise<LaneListReply> {
  const { lanes } = context.store;
  const named = search === undefined ? {} : { ids: await lanes.findNamed(projectId, search) };
  if (order === 'sick-first') return await listSickFirst(context, projectId, { ...named, isWaiting }, page);
  const list = (afterId: string | undefined, limit: number) =>
    lanes.list(projectId, { limit, afterId, isWaiting, ...named });
  const { results, pagination } = await readPage(page, byId, list);
  return { results: await withQuotas(context, results), pagination };
}

interface LaneFilter {
  readonly isWaiting: boolean;
  readonly ids?: readonly string[];
}

/** Before each id. */
const first = '00000000-0000-0000-0000-000000000000';

/**
 * The first page begins with what ails. Later pages have the others; which ails is asked anew for each of them, so a lane whose state changes
 * meanwhile may stand on two pages, or on none.
 */
async function listSickFirst(
  context: ManagementContext,
  projectId: string,
  filter: LaneFilter,
  { pageSize = limits.pageSizeDefault, pageToken }: PageQuery,
): Promise<LaneListReply> {
  const { lanes } = context.store;
  const afterId = positionOf(pageToken, byId);
  const troubled = filter.ids ?? (await lanes.findTroubled(projectId));
  const found = await lanes.list(projectId, { ...filter, ids: troubled, limit: troubled.length });
  const ranked = sickFirst(await withQuotas(context, found), Date.now());
  const sick = firstWithin(ranked.slice(0, pageSize), limits.pageBytesMax / 2);
  const shown = afterId === undefined ? sick : [];
  const size = pageSize - shown.length;
  const exceptIds = sick.map(({ id }) => id);
  const others = await lanes.list(projectId, { ...filter, exceptIds, limit: size + 1, ...(afterId && { afterId }) });
  const rest = firstWithin(others.slice(0, size), limits.pageBytesMax / 2);
  const last = rest.at(-1) ?? { id: first };
  return {
    results: [...shown, ...(await withQuotas(context, rest))],
    pagination: paginationOf([last], others.length > rest.length, byId),
  };
}

async function withQuotas(context: ManagementContext, lanes: readonly StoredLane[]): Promise<Lane[]> {
  const windows = await readWindows(context, lanes);
  return lanes.map((lane) => {
    const window = windows.get(lane.id);
    if (window === undefined) return lane;
    const { windowMs, ...quota } = window;
    return { ...lane, quota: { ...quota, windowSeconds: windowMs / 1_000 } };
  });
}

/** By lane. A provider whose file is gone has no known limit. */
async function readWindows(
  { connectors, redis }: ManagementContext,
  lanes: readonly Pick<StoredLane, 'projectId' | 'id' | 'provider'>[],
) {
  const declared = lanes.flatMap(({ projectId, id, provider }) => {
    const connector = connectors.find(provider);
    return connector === undefined ? [] : [{ projectId, laneId: id, declared: connector.capabilities.quota }];
  });
  const windows = await readLaneWindows(redis, declared);
  return new Map(declared.flatMap(({ laneId }, index) => (windows[index] ? [[laneId, windows[index]] as const] : [])));
}

/** The last fifth of a window is for writes that a caller waits for. */
const asynchronousShare = 0.8;

/** Of operations whose turn has not come: whether the account's limit is used up. */
export async function withQuotaWaits(
  context: ManagementContext,
  operations: readonly Operation[],
): Promise<Operation[]> {
  const waiting = operations.flatMap(({ projectId, waiting: wait }) =>
    wait?.reason === 'turn' ? [{ projectId, id: wait.laneId, provider: wait.provider }] : [],
  );
  if (waiting.length === 0) return [...operations];
  const windows = await readWindows(context, [...new Map(waiting.map((lane) => [lane.id, lane])).values()]);
  return operations.map((operation) => {
    const { waiting: wait } = operation;
    const { left, limit } = (wait?.reason === 'turn' ? windows.get(wait.laneId) : undefined) ?? {};
    const isSpent = left !== undefined && limit !== undefined && left <= limit * (1 - asynchronousShare);
    return wait === undefined || !isSpent ? operation : { ...operation, waiting: { ...wait, reason: 'quota' } };
  });
}
