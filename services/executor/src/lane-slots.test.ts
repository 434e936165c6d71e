import type { ClaimedCall } from '@sluice/store';
import { LaneSlots } from './lane-queue';

const lane = { projectId: 'p1', laneId: 'l1' };
const call = (more: Partial<ClaimedCall> = {}) => ({ ...lane, ...more }) as ClaimedCall;

// A message for a lane that this process has filled itself costs no statement.
describe('the capacity of a lane', () => {
  it('are full with as many calls as the lane may have, until one ends', () => {
    const laneSlots = new LaneSlots(2);
    laneSlots.enter(call());
    expect(laneSlots.isFull(lane)).toBe(false);
    laneSlots.enter(call());
    expect(laneSlots.isFull(lane)).toBe(true);
    expect(laneSlots.isFull({ ...lane, laneId: 'l2' })).toBe(false);
    laneSlots.leave(call());
    expect(laneSlots.isFull(lane)).toBe(false);
  });

  it('are full with one where the lane is narrowed', () => {
    const laneSlots = new LaneSlots(4);
    laneSlots.enter(call({ isNarrowed: true }));
    expect(laneSlots.isFull(lane)).toBe(true);
    laneSlots.leave(call());
    expect(laneSlots.isFull(lane)).toBe(false);
  });
});
