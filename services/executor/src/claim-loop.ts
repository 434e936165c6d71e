import { orphanMessages, topics, type Consumer } from '@sluice/messaging';
import type { ClaimedCall, LaneKey } from '@sluice/store';
import { outsideSteps, type Counter } from '@sluice/telemetry';
import { leaseMs } from '@sluice/writes';
import type { ExecutorContext } from './context';
import { type AwakeLane, LaneQueue, LaneSlots, type WakeSource } from './lane-queue';
import { runCall } from './run-call';

/** Lanes of one claim: enough to keep a process busy with few statements, few enough that every lane's turn comes often. */
const lanesPerClaim = 16;
/** Pause after a claim that failed. */
const retryMs = 500;
/** Pause before the next claim from a lane that another executor was claiming from, or that has more calls than were taken. */
const againMs = 20;

/**
 * Claims calls while there are awake lanes and free slots, and runs each. The slot of a call whose lane sleeps is for the other lanes.
 * A call that crashed an executor twice is claimed only when nothing else runs, and runs alone: bystanders are not blamed for its next
 * crash. Calls of a claim under way are bystanders too.
 */
export class ClaimLoop {
  // What wakes a lane may be a call under way, and the next claim is not part of its trace.
  readonly lanes = new LaneQueue(() => outsideSteps(() => setImmediate(() => this.claimAwake())));
  private readonly slots: LaneSlots;
  private readonly claims: Counter<'sluice_claims_total'>;
  private readonly countOrphan: ReturnType<typeof orphanMessages>;
  private readonly running = new Set<Promise<void>>();
  private claiming: Promise<void> | undefined;
  private suspect: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly context: ExecutorContext) {
    this.slots = new LaneSlots(context.config.laneConcurrency);
    this.claims = context.metrics.counter('sluice_claims_total');
    this.countOrphan = orphanMessages(context, topics.ready);
  }

  /** Lets what runs end, then runs one call of the lane that crashed an executor twice, alone. */
  isolate(lane: LaneKey): void {
    this.suspect ??= this.claimAlone({ ...lane, source: 'lapse' }).finally(() => {
      this.suspect = undefined;
      this.claimAwake();
    });
  }

  /** Claims no more and waits for the calls in flight. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.lanes.stop();
    await Promise.all([this.claiming, this.suspect]);
    await Promise.all(this.running);
  }

  private claimAwake(): void {
    if (!this.isStopped) this.claiming ??= this.claimAll().finally(() => (this.claiming = undefined));
  }

  private async claimAll(): Promise<void> {
    while (this.mayClaim()) {
      const open = this.lanes.take(lanesPerClaim).filter((lane) => !this.slots.isFull(lane));
      await this.claim(open, false);
    }
  }

  private async claimAlone(lane: AwakeLane): Promise<void> {
    await this.claiming;
    await Promise.all(this.running);
    if (!this.isStopped) await this.claim([lane], true);
    await Promise.all(this.running);
  }

  private mayClaim(): boolean {
    const { plans, config } = this.context;
    const isFree = !this.isStopped && this.suspect === undefined && this.running.size < config.concurrency;
    return isFree && !plans.isShort() && this.lanes.size() > 0;
  }

  private async claim(taken: readonly AwakeLane[], isolated: boolean): Promise<void> {
    if (taken.length === 0) return;
    const { store, owner, logger, config } = this.context;
    const { concurrency, laneConcurrency: perLane } = config;
    try {
      const claimedAtMs = performance.now();
      const limit = isolated ? 1 : concurrency - this.running.size;
      const claim = await store.writes.claim({ owner, lanes: taken, limit, perLane, leaseMs, isolated });
      for (const call of claim.calls) this.start(call, claimedAtMs, sourceOf(call, taken));
      for (const lane of claim.again) this.lanes.wakeLater(lane, againMs);
      for (const lane of claim.later) this.lanes.wakeLater(lane, lane.inMs);
      for (const { projectId, laneId } of claim.missing) this.countOrphan({ projectId, laneId });
    } catch (error) {
      logger.warn({ error }, 'calls.claim-failed');
      for (const lane of taken) this.lanes.wakeLater(lane, retryMs);
    }
  }

  private start(call: ClaimedCall, claimedAtMs: number, source: WakeSource): void {
    this.claims.inc({ source });
    this.slots.enter(call);
    const work = runCall(this.context, { call, claimedAtMs, source }, this.lanes).finally(() => {
      this.running.delete(work);
      this.slots.leave(call);
      this.lanes.wake(call, source);
      this.claimAwake();
    });
    this.running.add(work);
  }
}

/** What woke the lane of a claimed call. */
function sourceOf(call: LaneKey, taken: readonly AwakeLane[]): WakeSource {
  const lane = taken.find(({ projectId, laneId }) => projectId === call.projectId && laneId === call.laneId);
  return lane?.source ?? 'message';
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
