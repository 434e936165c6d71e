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

/** Longest delay that setTimeout takes. */
const delayMaxMs = 2_147_483_647;
const shareMs = 250;
/** Awake lanes and timers at most, 5 MB together: these are hints, and the sweep finds the lanes that are left out. */
const lanesMax = 10_000;

/** Lanes that may have a call to claim, in turns. Hints only: a claim that finds nothing puts its lane to rest. */
export class LaneQueue {
  private readonly awake = new Map<string, AwakeLane>();
  private readonly asleepUntilMs = new Map<string, number>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private isStopped = false;

  /** @param onAwake called when there is something to take */
  constructor(private readonly onAwake: () => void) {}

  wake(lane: LaneKey, source: WakeSource): void {
    if (this.isAsleep(lane)) return;
    const { projectId, laneId } = lane;
    const id = idOf(lane);
    if (!this.awake.has(id) && this.awake.size < lanesMax) this.awake.set(id, { projectId, laneId, source });
    this.onAwake();
  }

  /** Wakes the lane after a delay as well. Moments closer than a quarter of a second share one timer. */
  wakeLater(lane: LaneKey, delayMs: number): void {
    const { timers } = this;
    const waitMs = Math.min(Math.max(1, delayMs), delayMaxMs);
    const atMs = performance.now() + waitMs;
    // A short wait shares no timer: another one's would be too early for it, or its own too early for the other.
    const id = `${idOf(lane)}@${waitMs < shareMs ? `${atMs} exactly` : Math.ceil(atMs / shareMs)}`;
    if (this.isStopped || timers.has(id) || timers.size >= lanesMax) return;
    const fire = (): void => {
      timers.delete(id);
      this.wake(lane, 'timer');
    };
    // At the end of the shared quarter, so that no moment of it is too early.
    timers.set(id, setTimeout(fire, waitMs < shareMs ? waitMs : Math.min(waitMs + shareMs, delayMaxMs)));
  }

  /** Nothing wakes the lane before then: its quota is spent, or it is blocked. It wakes by itself afterwards. */
  sleep(lane: LaneKey, forMs: number): void {
    const id = idOf(lane);
    this.asleepUntilMs.set(id, Math.max(this.asleepUntilMs.get(id) ?? 0, performance.now() + forMs));
    this.awake.delete(id);
    this.wakeLater(lane, forMs + 1);
  }

  /** Takes up to `count` lanes off the front. A lane that had calls is woken again, at the back. */
  take(count: number): AwakeLane[] {
    const taken: AwakeLane[] = [];
    for (const [id, lane] of this.awake) {
      if (taken.length === count) break;
      taken.push(lane);
      this.awake.delete(id);
    }
    return taken;
  }

  /** Awake lanes. */
  size(): number {
    return this.awake.size;
  }

  /** Whether the lane was put to sleep and its time is not over: what was claimed of it before is not sent now. */
  isAsleep(lane: LaneKey): boolean {
    const id = idOf(lane);
    const untilMs = this.asleepUntilMs.get(id);
    if (untilMs === undefined || untilMs > performance.now()) return untilMs !== undefined;
    this.asleepUntilMs.delete(id);
    return false;
  }

  /** Sets no further timer. */
  stop(): void {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.awake.clear();
  }
}

function idOf({ projectId, laneId }: LaneKey): string {
  return `${projectId}/${laneId}`;
}

/**
 * Capacity that this process's own calls take in their lanes. A lane that is full by them alone gives nothing to a claim: it is left
 * out, and the end of one of those calls wakes it. What other processes run is counted in the claim.
 */
export class LaneSlots {
  private readonly lanes = new Map<string, { count: number; isNarrowed: boolean }>();

  /** @param perLane calls at once of a lane that is not narrowed; a narrowed one is taken for full with one */
  constructor(private readonly perLane: number) {}

  enter(call: ClaimedCall): void {
    const count = (this.lanes.get(idOf(call))?.count ?? 0) + 1;
    this.lanes.set(idOf(call), { count, isNarrowed: call.isNarrowed ?? false });
  }

  leave(call: ClaimedCall): void {
    const lane = this.lanes.get(idOf(call));
    if (lane === undefined) return;
    if (lane.count > 1) lane.count -= 1;
    else this.lanes.delete(idOf(call));
  }

  isFull(lane: LaneKey): boolean {
    const own = this.lanes.get(idOf(lane));
    return own !== undefined && own.count >= (own.isNarrowed ? 1 : this.perLane);
  }
}
