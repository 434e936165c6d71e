import type { LaneKey } from '@sluice/store';

/** What woke a lane. A lane that goes on after a call keeps its source. */
export type WakeSource = 'message' | 'timer' | 'sweep' | 'lapse';

export interface AwakeLane extends LaneKey {
  readonly source: WakeSource;
}

/** Lanes that may have a call to claim, in turns. Hints only: a claim that finds nothing puts its lane to rest. */
export interface LaneQueue {
  wake(lane: LaneKey, source: WakeSource): void;
  /** Wakes the lane after a delay, unless something wakes it earlier. */
  wakeLater(lane: LaneKey, delayMs: number): void;
  /** Takes up to `count` lanes off the front; whoever gets calls from one wakes it again, at the back. */
  take(count: number): AwakeLane[];
  stop(): void;
}

/** Longest delay that setTimeout takes. */
const delayMaxMs = 2_147_483_647;

/** @param onAwake called when there is something to take */
export function createLaneQueue(onAwake: () => void): LaneQueue {
  const awake = new Map<string, AwakeLane>();
  const timers = new Map<string, { readonly atMs: number; readonly timer: NodeJS.Timeout }>();
  const idOf = (lane: LaneKey): string => `${lane.projectId}/${lane.laneId}`;

  const wake = (lane: LaneKey, source: WakeSource): void => {
    const id = idOf(lane);
    if (!awake.has(id)) awake.set(id, { projectId: lane.projectId, laneId: lane.laneId, source });
    onAwake();
  };
  return {
    wake,
    wakeLater: (lane, delayMs) => {
      const id = idOf(lane);
      const atMs = performance.now() + delayMs;
      const known = timers.get(id);
      if (known !== undefined && known.atMs <= atMs) return;
      clearTimeout(known?.timer);
      const fire = (): void => {
        timers.delete(id);
        wake(lane, 'timer');
      };
      timers.set(id, { atMs, timer: setTimeout(fire, Math.min(Math.max(1, delayMs), delayMaxMs)) });
    },
    take: (count) => {
      const taken = [...awake.values()].slice(0, count);
      for (const lane of taken) awake.delete(idOf(lane));
      return taken;
    },
    stop: () => {
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
      awake.clear();
    },
  };
}
