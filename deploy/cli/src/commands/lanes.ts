import { laneCallsMax, laneStateOf, type Lane, type LaneListReply, type LaneState } from '@sluice/types';
import { type Column, grouped, print, renderTable, shortened, shortTime } from '../output/print';
import { connect, type GivenOptions } from '../profiles/connect';

/** The most lanes that one request answers. Source: published API, pageSize. */
const pageSize = 1_000;

const columns: readonly Column<Lane>[] = [
  ['PROVIDER', ({ provider }) => provider],
  ['ACCOUNT', ({ workspaceRef }) => workspaceRef ?? '-'],
  ['STATE', stateOf],
  ['QUOTA LEFT', quotaOf],
  ['RUNNING', ({ calls }) => callsOf(calls.running)],
  ['READY', ({ calls }) => callsOf(calls.ready)],
  ['RETRYING', ({ calls }) => callsOf(calls.retrying)],
  ['IN DOUBT', ({ calls }) => callsOf(calls.inDoubt)],
  ['WAITING', ({ calls }) => callsOf(calls.waiting)],
  ['GROUPS', ({ groupRefs }) => groupRefs.join(', ')],
  ['REFUSED WITH', refusalOf],
];

/** `sluice lanes list`: every lane of the project, oldest first. */
export async function list(_args: readonly string[], options: GivenOptions): Promise<void> {
  const { management } = await connect(options);
  const lanes: Lane[] = [];
  let page: LaneListReply['pagination'] = { done: false };
  do {
    const { nextPageToken: pageToken } = page;
    const reply = await management.listLanes({ pageSize, ...(pageToken !== undefined && { pageToken }) });
    lanes.push(...reply.results);
    page = reply.pagination;
  } while (!page.done);
  print(options, lanes, () => renderLanes(lanes));
}

/** A row for each. */
export function renderLanes(lanes: readonly Lane[]): string {
  return renderTable(lanes, columns, 'No lanes.');
}

function stateOf(lane: Lane): string {
  return words[laneStateOf(lane, Date.now())](lane);
}

const words: Readonly<Record<LaneState, (lane: Lane) => string>> = {
  blocked: ({ blockedUntil }) => `blocked until ${shortTime(blockedUntil)}`,
  failing: ({ lastFailure }) => `provider failing: ${lastFailure?.status ?? lastFailure?.class}`,
  stalled: ({ readySince }) => `nothing sent since ${shortTime(readySince)}`,
  held: ({ held = [] }) => `held for credentials of ${held.map(({ groupRef }) => groupRef).join(', ')}`,
  recovering: ({ callsAtOnceMax = 1 }) => `recovering, ${grouped(callsAtOnceMax)} at once`,
  open: () => 'open',
};

/** Of no interest once the account is well again. */
function refusalOf({ blockedUntil, callsAtOnceMax, lastError }: Lane): string {
  const isWell = blockedUntil === undefined && callsAtOnceMax === undefined;
  return isWell || lastError === undefined ? '-' : shortened(lastError);
}

/** What is left is not known where the counts cannot be read; the limit always is. */
function quotaOf({ quota }: Lane): string {
  if (quota === undefined) return '-';
  const { left, limit, windowSeconds } = quota;
  const known = left === undefined ? '' : `${grouped(left)} of `;
  return `${known}${grouped(limit)} in ${grouped(windowSeconds)} s`;
}

/** The service stops counting there. */
function callsOf(count: number): string {
  return count < laneCallsMax ? grouped(count) : `${grouped(laneCallsMax)}+`;
}
