import type { ClaimedCall, LaneKey } from '@sluice/store';

/** What woke a lane. A lane that continues after a call keeps its source. */
export type WakeSource = 'message' | 'timer' | 'sweep' | 'lapse';

export interface AwakeLane extends LaneKey {
  readonly source: WakeSource;
}

/** A claimed call, with the monotonic moment from before the claim was made: the lease counts from there. */
export interface FreshClaim {
  readonly call: ClaimedCall;
  readonly claimedAtMs: number;
  readonly source: WakeSource;
}

/** Lanes that may have a call to claim, in turns. Hints only: a claim that finds nothing puts its lane to rest. */
export interface LaneQueue {
  wake(lane: LaneKey, source: WakeSource): void;
  /** Wakes the lane after a delay as well. Moments closer than a quarter of a second share one timer. */
  wakeLater(lane: LaneKey, delayMs: number): void;
  /** Nothing wakes the lane before then: its quota is spent, or it is blocked. It wakes by itself afterwards. */
  sleep(lane: LaneKey, forMs: number): void;
  /** Takes up to `count` lanes off the front. A lane that had calls is woken again, at the back. */
  take(count: number): AwakeLane[];
  /** Awake lanes. */
  size(): number;
  /** Whether the lane was put to sleep and its time is not over: what was claimed of it before is not sent now. */
  isAsleep(lane: LaneKey): boolean;
  /** Sets no further timer. */
  stop(): void;
}

/** Longest delay that setTimeout takes. */
const delayMaxMs = 2_147_483_647;
const shareMs = 250;
/** Awake lanes and timers at most, 5 MB together: these are hints, and the sweep finds the lanes that are left out. */
const lanesMax = 10_000;

/** @param onAwake called when there is something to take */
export function createLaneQueue(onAwake: () => void): LaneQueue {
  const awake = new Map<string, AwakeLane>();
  const asleepUntilMs = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  let isStopped = false;
  const idOf = (lane: LaneKey): string => `${lane.projectId}/${lane.laneId}`;
  const isAsleep = (id: string): boolean => {
    const untilMs = asleepUntilMs.get(id);
    if (untilMs === undefined || untilMs > performance.now()) return untilMs !== undefined;
    asleepUntilMs.delete(id);
    return false;
  };

  const wake = (lane: LaneKey, source: WakeSource): void => {
    const id = idOf(lane);
    if (isAsleep(id)) return;
    if (!awake.has(id) && awake.size < lanesMax)
      awake.set(id, { projectId: lane.projectId, laneId: lane.laneId, source });
    onAwake();
  };
  const wakeLater = (lane: LaneKey, delayMs: number): void => {
    const waitMs = Math.min(Math.max(1, delayMs), delayMaxMs);
    const atMs = performance.now() + waitMs;
    // A short wait shares no timer: another one's would be too early for it, or its own too early for the other.
    const id = `${idOf(lane)}@${waitMs < shareMs ? `${atMs} exactly` : Math.ceil(atMs / shareMs)}`;
    if (isStopped || timers.has(id) || timers.size >= lanesMax) return;
    const fire = (): void => {
      timers.delete(id);
      wake(lane, 'timer');
    };
    // At the end of the shared quarter, so that no moment of it is too early.
    timers.set(id, setTimeout(fire, waitMs < shareMs ? waitMs : Math.min(waitMs + shareMs, delayMaxMs)));
  };
  return {
    wake,
    wakeLater,
    sleep: (lane, forMs) => {
      const id = idOf(lane);
      asleepUntilMs.set(id, Math.max(asleepUntilMs.get(id) ?? 0, performance.now() + forMs));
      awake.delete(id);
      wakeLater(lane, forMs + 1);
    },
    take: (count) => {
      const taken: AwakeLane[] = [];
      for (const [id, lane] of awake) {
        if (taken.length === count) break;
        taken.push(lane);
        awake.delete(id);
      }
      return taken;
    },
    size: () => awake.size,
    isAsleep: (lane) => isAsleep(idOf(lane)),
    stop: () => {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      awake.clear();
    },
  };
}

/**
 * Capacity that this process's own calls take in their lanes. A lane that is full by them alone gives nothing to a claim: it is left
 * out, and the end of one of those calls wakes it. What other processes run is counted in the claim.
 */
export interface LaneSlots {
  enter(call: ClaimedCall): void;
  leave(call: ClaimedCall): void;
  isFull(lane: LaneKey): boolean;
}

/** @param perLane calls at once of a lane that is not narrowed; a narrowed one is taken for full with one */
export function createLaneSlots(perLane: number): LaneSlots {
  const lanes = new Map<string, { count: number; isNarrowed: boolean }>();
  const idOf = (lane: LaneKey): string => `${lane.projectId}/${lane.laneId}`;
  return {
    enter: (call) => {
      const count = (lanes.get(idOf(call))?.count ?? 0) + 1;
      lanes.set(idOf(call), { count, isNarrowed: call.isNarrowed ?? false });
    },
    leave: (call) => {
      const lane = lanes.get(idOf(call));
      if (lane === undefined) return;
      if (lane.count > 1) lane.count -= 1;
      else lanes.delete(idOf(call));
    },
    isFull: (lane) => {
      const own = lanes.get(idOf(lane));
      return own !== undefined && own.count >= (own.isNarrowed ? 1 : perLane);
    },
  };
}
