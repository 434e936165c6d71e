import type { ClaimedCall } from '@sluice/store';
import { createLanePlaces } from './lane-places';

const lane = { projectId: 'p1', laneId: 'l1' };
const call = (more: Partial<ClaimedCall> = {}) => ({ ...lane, ...more }) as ClaimedCall;

// A message for a lane that this process has filled itself costs no statement.
describe('the capacity of a lane', () => {
  it('are full with as many calls as the lane may have, until one ends', () => {
    const places = createLanePlaces(2);
    places.enter(call());
    expect(places.isFull(lane)).toBe(false);
    places.enter(call());
    expect(places.isFull(lane)).toBe(true);
    expect(places.isFull({ ...lane, laneId: 'l2' })).toBe(false);
    places.leave(call());
    expect(places.isFull(lane)).toBe(false);
  });

  it('are full with one where the lane is narrowed', () => {
    const places = createLanePlaces(4);
    places.enter(call({ isNarrowed: true }));
    expect(places.isFull(lane)).toBe(true);
    places.leave(call());
    expect(places.isFull(lane)).toBe(false);
  });
});
