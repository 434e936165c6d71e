import type { LaneKey, WriteStore } from '@sluice/store';
import type { LaneQueue } from './lane-queue';
import { goRound } from './round';

/** Every 2 s, less half a call's distance. */
const lookAfterMs = 1_875;
/** Lanes of one statement, a few milliseconds, and statements of one pass. */
const lanesPerStep = 1_000;
const stepsPerLook = 3;
/** With fewer lanes than this awake, a process has nothing left to do soon. */
const fewLanes = 64;

/**
 * Finds lanes with work that no message announced, sweeping all lanes in which something waits. A pass costs the same whatever
 * waits: up to 3,000 lanes every 2 s. So a ready call is found within 2 s while at most 3,000 lanes wait, and with more of them
 * within 2 s for each 3,000. While the passes find work and the process runs out of it, they follow each other at once.
 * @param onFound gets how many lanes a pass found
 * @returns a pass, to be called four times a second
 */
export function readySweep(
  writes: Pick<WriteStore, 'findReadyLanes'>,
  lanes: LaneQueue,
  onFound: (lanes: number) => void,
): () => Promise<void> {
  const look = goRound(
    (after: LaneKey | undefined) => writes.findReadyLanes({ limit: lanesPerStep, ...(after && { after }) }),
    stepsPerLook,
  );
  let lookedAtMs = -Infinity;
  let hasMore = false;
  return async () => {
    const isHungry = hasMore && lanes.size() < fewLanes;
    if (!isHungry && performance.now() - lookedAtMs < lookAfterMs) return;
    lookedAtMs = performance.now();
    const { found, isCut } = await look();
    hasMore = isCut && found.length > 0;
    onFound(found.length);
    for (const lane of found) lanes.wake(lane, 'sweep');
  };
}
