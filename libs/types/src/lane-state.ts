import type { FailureClass } from '@sluice/errors';
import type { Lane, LastFailure } from './lane';

/**
 * What a reader must know of a lane first. `blocked`: the provider refused a call, nothing is sent before a moment. `failing`: the provider itself
 * does not answer, or answers that it cannot. `stalled`: writes may be sent, and for a minute none was. `held`: writes wait for new
 * credentials. `recovering`: few calls at once, after a refusal. `open`: none of these.
 */
export type LaneState = 'blocked' | 'failing' | 'stalled' | 'held' | 'recovering' | 'open';

/** A lane from which nothing was sent for so long, although something may be, makes no progress. Our choice: twice the longest time of a call. */
const stalledAfterMs = 60_000;

/** What a provider itself is at fault for, and not the customer's account or records. */
const outages: ReadonlySet<FailureClass> = new Set(['unavailable', 'timeout', 'unknown']);

/** Whether a failure is of the provider as a whole, as far as one call shows. */
export function isOutage(failure: LastFailure | undefined): boolean {
  return failure !== undefined && outages.has(failure.class);
}

/** The state of a lane at a moment. */
export function laneStateOf(lane: Lane, nowMs: number): LaneState {
  const { blockedUntil, callsAtOnceMax, held = [], lastFailure } = lane;
  if (blockedUntil !== undefined) return 'blocked';
  if (isOutage(lastFailure)) return 'failing';
  if (isStalled(lane, nowMs)) return 'stalled';
  if (held.length > 0) return 'held';
  return callsAtOnceMax === undefined ? 'open' : 'recovering';
}

/** Calls of the last seconds show in the quota, also between two of them. */
function isStalled({ readySince, calls, quota }: Lane, nowMs: number): boolean {
  if (readySince === undefined || calls.running > 0) return false;
  if (quota?.left !== undefined && quota.left < quota.limit) return false;
  return nowMs - Date.parse(readySince) >= stalledAfterMs;
}

const severities: readonly LaneState[] = ['blocked', 'held', 'failing', 'stalled', 'recovering', 'open'];

/** What ails most stands first, then that in which the most calls wait. */
export function sickFirst<Of extends Lane>(lanes: readonly Of[], nowMs: number): Of[] {
  const ranked = lanes.map((lane) => ({
    lane,
    rank: severities.indexOf(laneStateOf(lane, nowMs)),
    calls: unsent(lane),
  }));
  return ranked.toSorted((one, other) => one.rank - other.rank || other.calls - one.calls).map(({ lane }) => lane);
}

const unsent = ({ calls: { ready, retrying, inDoubt, waiting } }: Lane): number => ready + retrying + inDoubt + waiting;
