import { type Consumer, topics } from '@sluice/messaging';
import type { WriteAnnouncement } from '@sluice/types';
import type { BatchKey } from '@sluice/store';
import type { BatcherContext } from '../context';
import { flushBatch } from '../flush-batch';

/**
 * `sluice.writes.auto-batched`: a full batch is flushed at once, any other gets a timer. A repeated message costs one lookup.
 * @returns leaves the group
 */
export async function consumeAutoBatched(context: BatcherContext, timers: DueTimers): Promise<Consumer['stop']> {
  const flushOrWait = async (write: WriteAnnouncement): Promise<void> => {
    const dueInMs = await flushBatch(context, write, 'message');
    // The message was wrong; what it displaced may have been the one that sets the timer.
    if (dueInMs !== undefined) timers.schedule(write, new Date(Date.now() + dueInMs));
  };
  const consumer = await context.messaging.consume({
    topic: topics.autoBatched,
    group: 'sluice-batcher',
    handle: async (writes) => {
      for (const write of onePerBatch(writes)) {
        if (write.isFull === true) await flushOrWait(write);
        else if (write.dueAt !== undefined) timers.schedule(write, new Date(write.dueAt));
      }
    },
  });
  return () => consumer.stop();
}

/** The latest message of each batch: its records are announced in the order they joined. */
function onePerBatch(writes: readonly WriteAnnouncement[]): WriteAnnouncement[] {
  const latest = new Map<string, WriteAnnouncement>();
  for (const write of writes) {
    const id = `${write.projectId}/${write.operationId}`;
    if (latest.get(id)?.isFull !== true) latest.set(id, write);
  }
  return [...latest.values()];
}

/** Batches with a timer at most. More wait for the sweep, which costs at most half a second. */
const timersMax = 50_000;
/** Pause before a flush that failed is tried again. */
const retryMs = 1_000;
/** Longest delay that setTimeout takes. */
const delayMaxMs = 2_147_483_647;

/**
 * Wakes flushes at the moment they are due. It is only a hint in memory: the seal decides by the database's clock and returns how long is left. So a
 * process whose clock is wrong wakes again instead of flushing early.
 */
export class DueTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly firing = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly context: BatcherContext) {}

  /** Flushes at `dueAt`, or at once if that has passed. A second call for the same batch changes nothing. */
  schedule(key: BatchKey, dueAt: Date): void {
    if (this.timers.has(key.operationId) || this.timers.size >= timersMax) return;
    this.arm(key, dueAt.getTime() - Date.now());
  }

  /** Sets no further timer; resolves when the flushes in hand have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    await Promise.all(this.firing);
  }

  private arm(key: BatchKey, delayMs: number): void {
    if (this.isStopped) return;
    const wake = (): void => {
      const work = this.fire(key).finally(() => this.firing.delete(work));
      this.firing.add(work);
    };
    this.timers.set(key.operationId, setTimeout(wake, Math.min(Math.max(0, delayMs), delayMaxMs)));
  }

  private async fire(key: BatchKey): Promise<void> {
    this.timers.delete(key.operationId);
    try {
      const dueInMs = await flushBatch(this.context, key, 'timer');
      if (dueInMs !== undefined) this.arm(key, dueInMs);
    } catch (error) {
      this.context.logger.warn({ error, operationId: key.operationId }, 'batch.flush-failed');
      this.arm(key, retryMs);
    }
  }
}
