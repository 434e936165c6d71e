import { laneCallsMax, laneStateOf, type Lane, type LaneState } from '@sluice/types';
import { asking, type Group } from '../command';
import { grouped, shortened, shortTime, table } from '../output/print';
import { collect } from '../read-options';

/** A row for each. */
export const renderLanes = table<Lane>('No lanes.', [
  'provider',
  ['account', 'workspaceRef'],
  ['state', (lane) => words[laneStateOf(lane, Date.now())](lane)],
  ['quota left', quotaOf],
  ['running', ({ calls }) => callsOf(calls.running)],
  ['ready', ({ calls }) => callsOf(calls.ready)],
  ['retrying', ({ calls }) => callsOf(calls.retrying)],
  ['in doubt', ({ calls }) => callsOf(calls.inDoubt)],
  ['waiting', ({ calls }) => callsOf(calls.waiting)],
  ['groups', 'groupRefs'],
  ['refused with', refusalOf],
]);

/** `sluice lanes`. */
export const lanes: Group = {
  about: "queues of the customers' accounts",
  commands: {
    list: asking({
      about: 'list the lanes: what waits, what is left of the quota, what blocks them',
      ask: ({ client }) => collect(client.iterate.listLanes()),
      show: renderLanes,
    }),
  },
};

const words: Readonly<Record<LaneState, (lane: Lane) => string>> = {
  blocked: ({ blockedUntil }) => `blocked until ${shortTime(blockedUntil)}`,
  failing: ({ lastFailure }) => `provider failing: ${lastFailure?.status ?? lastFailure?.class}`,
  stalled: ({ readySince }) => `nothing sent since ${shortTime(readySince)}`,
  held: ({ held = [] }) => `held for credentials of ${held.map(({ groupRef }) => groupRef).join(', ')}`,
  recovering: ({ callsAtOnceMax = 1 }) => `recovering, ${grouped(callsAtOnceMax)} at once`,
  open: () => 'open',
};

/** Of no interest once the account is well again. */
function refusalOf({ blockedUntil, callsAtOnceMax, lastError }: Lane): string | undefined {
  const isWell = blockedUntil === undefined && callsAtOnceMax === undefined;
  return isWell || lastError === undefined ? undefined : shortened(lastError);
}

/** What is left is not known where the counts cannot be read; the limit always is. */
function quotaOf({ quota }: Lane): string | undefined {
  if (quota === undefined) return undefined;
  const { left, limit, windowSeconds } = quota;
  const known = left === undefined ? '' : `${grouped(left)} of `;
  return `${known}${grouped(limit)} in ${grouped(windowSeconds)} s`;
}

/** The service stops counting there. */
function callsOf(count: number): string {
  return count < laneCallsMax ? grouped(count) : `${grouped(laneCallsMax)}+`;
}
