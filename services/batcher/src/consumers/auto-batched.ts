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

export interface DueTimers {
  /** Flushes at `dueAt`, or at once if that has passed. A second call for the same batch changes nothing. */
  schedule(key: BatchKey, dueAt: Date): void;
  /** Sets no further timer; resolves when the flushes in hand have ended. */
  stop(): Promise<void>;
}

/**
 * Wakes flushes at the moment they are due. It is only a hint in memory: the seal decides by the database's clock and returns how long is left. So a
 * process whose clock is wrong wakes again instead of flushing early.
 */
export function createDueTimers(context: BatcherContext): DueTimers {
  const timers = new Map<string, NodeJS.Timeout>();
  const firing = new Set<Promise<void>>();
  let isStopped = false;

  const arm = (key: BatchKey, delayMs: number): void => {
    if (isStopped) return;
    const wake = (): void => {
      const work = fire(key).finally(() => firing.delete(work));
      firing.add(work);
    };
    timers.set(key.operationId, setTimeout(wake, Math.min(Math.max(0, delayMs), delayMaxMs)));
  };
  const fire = async (key: BatchKey): Promise<void> => {
    timers.delete(key.operationId);
    try {
      const dueInMs = await flushBatch(context, key, 'timer');
      if (dueInMs !== undefined) arm(key, dueInMs);
    } catch (error) {
      context.logger.warn({ error, operationId: key.operationId }, 'batch.flush-failed');
      arm(key, retryMs);
    }
  };
  return {
    schedule: (key, dueAt) => {
      if (timers.has(key.operationId) || timers.size >= timersMax) return;
      arm(key, dueAt.getTime() - Date.now());
    },
    stop: async () => {
      isStopped = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(firing);
    },
  };
}
