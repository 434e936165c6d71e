import { orphanMessages, topics, type Consumer } from '@sluice/messaging';
import type { Claim, ClaimedCall, LaneKey } from '@sluice/store';
import { outsideSteps } from '@sluice/telemetry';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { type AwakeLane, type LaneQueue, type WakeSource, createLaneQueue, createLaneSlots } from './lane-queue';
import { runCall } from './run-call';

/** Lanes of one claim: enough to keep a process busy with few statements, few enough that every lane's turn comes often. */
const lanesPerClaim = 16;
/** Pause after a claim that failed. */
const retryMs = 500;
/** Pause before the next claim from a lane that another executor was claiming from, or that has more calls than were taken. */
const againMs = 20;

export interface ClaimLoop {
  readonly lanes: LaneQueue;
  /** Lets what runs end, then runs one call of the lane that crashed an executor twice, alone. */
  isolate(lane: LaneKey): void;
  /** Claims no more and waits for the calls in flight. */
  stop(): Promise<void>;
}

/**
 * Claims calls while there are awake lanes and free slots, and runs each. The slot of a call whose lane sleeps is for the other lanes.
 * A call that crashed an executor twice is claimed only when nothing else runs, and runs alone: bystanders are not blamed for its next
 * crash. Calls of a claim under way are bystanders too.
 */
export function createClaimLoop(context: ExecutorContext): ClaimLoop {
  const { store, metrics, owner, logger, plans } = context;
  const { concurrency, laneConcurrency: perLane } = context.config;
  const claims = metrics.counter('sluice_claims_total');
  const running = new Set<Promise<void>>();
  const countOrphan = orphanMessages(context, topics.ready);
  const laneSlots = createLaneSlots(perLane);
  let isStopped = false;
  let suspect: Promise<void> | undefined;
  let claiming: Promise<void> | undefined;
  const start = (call: ClaimedCall, claimedAtMs: number, source: WakeSource): void => {
    claims.inc({ source });
    laneSlots.enter(call);
    const work = runCall(context, { call, claimedAtMs, source }, lanes).finally(() => {
      running.delete(work);
      laneSlots.leave(call);
      lanes.wake(call, source);
      onAwake();
    });
    running.add(work);
  };
  const claimFrom = async (taken: readonly AwakeLane[], isolated: boolean): Promise<void> => {
    if (taken.length === 0) return;
    const claimedAtMs = performance.now();
    const limit = isolated ? 1 : concurrency - running.size;
    const claim = await store.writes.claim({ owner, lanes: taken, limit, perLane, leaseMs, isolated });
    for (const call of claim.calls) start(call, claimedAtMs, sourceOf(call, taken));
    wakeAgain(lanes, claim, countOrphan);
  };
  const tryToClaim = (taken: readonly AwakeLane[], isolated: boolean): Promise<void> =>
    claimFrom(taken, isolated).catch((error: unknown) => {
      logger.warn({ error }, 'calls.claim-failed');
      for (const lane of taken) lanes.wakeLater(lane, retryMs);
    });
  const mayClaim = (): boolean =>
    !isStopped && suspect === undefined && running.size < concurrency && !plans.isShort() && lanes.size() > 0;
  const takeOpen = () => lanes.take(lanesPerClaim).filter((lane) => !laneSlots.isFull(lane));
  const claimAll = async (): Promise<void> => {
    while (mayClaim()) await tryToClaim(takeOpen(), false);
  };
  const claimAlone = async (lane: AwakeLane): Promise<void> => {
    await claiming;
    await Promise.all(running);
    if (!isStopped) await tryToClaim([lane], true);
    await Promise.all(running);
  };
  const onAwake = (): void => {
    if (isStopped) return;
    claiming ??= claimAll().finally(() => (claiming = undefined));
  };
  // What wakes a lane may be a call under way, and the next claim is not part of its trace.
  const lanes = createLaneQueue(() => outsideSteps(() => setImmediate(onAwake)));
  return {
    lanes,
    isolate: (lane) => {
      suspect ??= claimAlone({ ...lane, source: 'lapse' }).finally(() => {
        suspect = undefined;
        onAwake();
      });
    },
    stop: async () => {
      isStopped = true;
      lanes.stop();
      await Promise.all([claiming, suspect]);
      await Promise.all(running);
    },
  };
}

/** What woke the lane of a claimed call. */
function sourceOf(call: LaneKey, taken: readonly AwakeLane[]): WakeSource {
  const lane = taken.find(({ projectId, laneId }) => projectId === call.projectId && laneId === call.laneId);
  return lane?.source ?? 'message';
}

function wakeAgain(
  lanes: LaneQueue,
  { again, later, missing }: Claim,
  countOrphan: ReturnType<typeof orphanMessages>,
): void {
  for (const lane of again) lanes.wakeLater(lane, againMs);
  for (const lane of later) lanes.wakeLater(lane, lane.inMs);
  for (const { projectId, laneId } of missing) countOrphan({ projectId, laneId });
}

/** `sluice.writes.ready`: each write wakes its lane. The handler never waits for a provider. @returns leaves the group */
export async function consumeReady(context: ExecutorContext, lanes: LaneQueue): Promise<Consumer['stop']> {
  const consumer = await context.messaging.consume({
    topic: topics.ready,
    group: 'sluice-executor',
    handle: (writes) => {
      for (const write of writes) lanes.wake(write, 'message');
      return Promise.resolve();
    },
  });
  return () => consumer.stop();
}
