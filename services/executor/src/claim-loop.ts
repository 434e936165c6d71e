import type { ClaimedCall } from '@sluice/store';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { createLaneQueue, type AwakeLane, type LaneQueue } from './lane-queue';

/** Lanes of one claim: enough to keep a process busy with few statements, few enough to go round often. */
const lanesPerClaim = 16;
/** Pause after a claim that failed. */
const retryMs = 500;

/** A claim, with the monotonic moment from before it was made: the lease counts from there. */
export interface FreshClaim {
  readonly call: ClaimedCall;
  readonly claimedAtMs: number;
}

export interface ClaimLoop {
  readonly lanes: LaneQueue;
  /** Calls in flight. */
  inFlight(): number;
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
  let isIsolated = false;
  let claiming: Promise<void> | undefined;

  const start = (call: ClaimedCall, claimedAtMs: number, lane: AwakeLane | undefined): void => {
    claims.inc({ source: lane?.source ?? 'message' });
    const work = run({ call, claimedAtMs }, lanes).finally(() => {
      running.delete(work);
      if (running.size === 0) isIsolated = false;
      lanes.wake(call, lane?.source ?? 'message');
    });
    running.add(work);
  };
  const claimFrom = async (taken: readonly AwakeLane[], isolated: boolean): Promise<number> => {
    const claimedAtMs = performance.now();
    const limit = isolated ? 1 : config.concurrency - running.size;
    const perLane = isolated ? 1 : config.laneConcurrency;
    const calls = await store.writes.claim({ owner, lanes: taken, limit, perLane, leaseMs, isolated });
    const laneOf = new Map(taken.map((lane) => [`${lane.projectId}/${lane.laneId}`, lane]));
    if (isolated && calls.length > 0) isIsolated = true;
    for (const call of calls) start(call, claimedAtMs, laneOf.get(`${call.projectId}/${call.laneId}`));
    return calls.length;
  };
  const mayClaim = (): boolean => !isStopped && !isIsolated && running.size < config.concurrency;
  const claimAll = async (): Promise<void> => {
    while (mayClaim()) {
      const taken = lanes.take(lanesPerClaim);
      if (taken.length === 0) return;
      try {
        const claimed = await claimFrom(taken, false);
        if (claimed === 0 && running.size === 0) await claimFrom(taken, true);
      } catch (error) {
        logger.warn({ error }, 'calls.claim-failed');
        for (const lane of taken) lanes.wakeLater(lane, retryMs);
      }
    }
  };
  const onAwake = (): void => {
    if (isStopped) return;
    claiming ??= claimAll().finally(() => (claiming = undefined));
  };
  const lanes = createLaneQueue(() => setImmediate(onAwake));
  return {
    lanes,
    inFlight: () => running.size,
    stop: async () => {
      isStopped = true;
      lanes.stop();
      await claiming;
      await Promise.all(running);
    },
  };
}
