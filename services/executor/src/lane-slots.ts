import type { ClaimedCall, LaneKey } from '@sluice/store';

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
