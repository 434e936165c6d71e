import type { ClaimedCall, LaneKey } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { createLaneQueue, type AwakeLane, type LaneQueue, type WakeSource } from './lane-queue';

/** Lanes of one claim: enough to keep a process busy with few statements, few enough to go round often. */
const lanesPerClaim = 16;
/** Pause after a claim that failed. */
const retryMs = 500;
/** Pause before a lane is looked at again that another executor was claiming from, or that has more calls than were taken. */
const againMs = 20;

/** A claim, with the monotonic moment from before it was made: the lease counts from there. */
export interface FreshClaim {
  readonly call: ClaimedCall;
  readonly claimedAtMs: number;
}

export interface ClaimLoop {
  readonly lanes: LaneQueue;
  /** Lets what runs end, then runs one call of the lane that crashed an executor twice, alone. */
  isolate(lane: LaneKey): void;
  /** Claims no more and waits for the calls in flight. */
  stop(): Promise<void>;
}

/**
 * Claims calls while there are awake lanes and free places, and hands each to `run`, which never rejects. A call that crashed an
 * executor twice is claimed only when nothing else runs, and runs alone: bystanders are not blamed for its next crash.
 */
export function startClaimLoop(
  context: ExecutorContext,
  run: (claim: FreshClaim, lanes: LaneQueue) => Promise<void>,
): ClaimLoop {
  const { config, store, metrics, owner, logger } = context;
  const claims = metrics.counter('sluice_claims_total', 'Calls claimed, by what woke their lane.', ['source']);
  const running = new Set<Promise<void>>();
  let isStopped = false;
  let suspect: Promise<void> | undefined;
  let claiming: Promise<void> | undefined;

  const start = (call: ClaimedCall, claimedAtMs: number, source: WakeSource): void => {
    claims.inc({ source });
    const work = run({ call, claimedAtMs }, lanes).finally(() => {
      running.delete(work);
      lanes.wake(call, source);
    });
    running.add(work);
  };
  const claimFrom = async (taken: readonly AwakeLane[], isolated: boolean): Promise<void> => {
    const claimedAtMs = performance.now();
    const limit = isolated ? 1 : config.concurrency - running.size;
    const perLane = config.laneConcurrency;
    const claim = await store.writes.claim({ owner, lanes: taken, limit, perLane, leaseMs, isolated });
    const sources = new Map(taken.map((lane) => [`${lane.projectId}/${lane.laneId}`, lane.source]));
    const sourceOf = (lane: LaneKey): WakeSource => sources.get(`${lane.projectId}/${lane.laneId}`) ?? 'message';
    for (const call of claim.calls) start(call, claimedAtMs, sourceOf(call));
    for (const lane of claim.again) lanes.wakeLater(lane, againMs);
    for (const lane of claim.later) lanes.wakeLater(lane, lane.inMs);
  };
  const mayClaim = (): boolean => !isStopped && suspect === undefined && running.size < config.concurrency;
  const claimAll = async (): Promise<void> => {
    while (mayClaim()) {
      const taken = lanes.take(lanesPerClaim);
      if (taken.length === 0) return;
      await claimFrom(taken, false).catch((error: unknown) => {
        logger.warn({ error }, 'calls.claim-failed');
        for (const lane of taken) lanes.wakeLater(lane, retryMs);
      });
    }
  };
  const claimAlone = async (lane: AwakeLane): Promise<void> => {
    await Promise.all(running);
    if (!isStopped)
      await claimFrom([lane], true).catch((error: unknown) => logger.warn({ error }, 'calls.claim-failed'));
    await Promise.all(running);
  };
  const onAwake = (): void => {
    if (isStopped) return;
    claiming ??= claimAll().finally(() => (claiming = undefined));
  };
  const lanes = createLaneQueue(() => setImmediate(onAwake));
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
      await claiming;
      await suspect;
      await Promise.all(running);
    },
  };
}
