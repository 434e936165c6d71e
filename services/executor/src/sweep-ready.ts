import type { LaneKey, WriteStore } from '@sluice/store';
import type { LaneQueue } from './lane-queue';
import { createSweep } from './create-sweep';

/** Every 2 s, less half a call's distance. */
const sweepEveryMs = 1_875;
/** Lanes of one statement, a few milliseconds, and statements of one pass. */
const lanesPerStep = 1_000;
const stepsPerPass = 3;
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
  const sweep = createSweep(
    (after: LaneKey | undefined) => writes.findReadyLanes({ limit: lanesPerStep, ...(after && { after }) }),
    stepsPerPass,
  );
  let lastPassAtMs = -Infinity;
  let hasMore = false;
  return async () => {
    const needsWork = hasMore && lanes.size() < fewLanes;
    if (!needsWork && performance.now() - lastPassAtMs < sweepEveryMs) return;
    lastPassAtMs = performance.now();
    const { found, isCut } = await sweep();
    hasMore = isCut && found.length > 0;
    onFound(found.length);
    for (const lane of found) lanes.wake(lane, 'sweep');
  };
}
