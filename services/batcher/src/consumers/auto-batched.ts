import { topics, type Consumer } from '@sluice/messaging';
import type { WriteAnnouncement } from '@sluice/types';
import type { BatcherContext } from '../context';
import type { DueTimers } from '../due-timers';
import type { FlushBatch } from '../flush-batch';

/** `sluice.writes.auto-batched`: a full batch is flushed at once, any other gets a timer. A repeated message costs one lookup. */
export function consumeAutoBatched(context: BatcherContext, flush: FlushBatch, timers: DueTimers): Promise<Consumer> {
  const flushOrWait = async (write: WriteAnnouncement): Promise<void> => {
    const dueInMs = await flush(write, 'message');
    // The message was wrong; what it displaced may have been the one that sets the timer.
    if (dueInMs !== undefined) timers.schedule(write, new Date(Date.now() + dueInMs));
  };
  return context.messaging.consume({
    topic: topics.autoBatched,
    group: 'sluice-batcher',
    handle: async (writes) => {
      for (const write of onePerBatch(writes)) {
        if (write.isFull === true) await flushOrWait(write);
        else if (write.dueAt !== undefined) timers.schedule(write, new Date(write.dueAt));
      }
    },
  });
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
