import { topics, type Consumer } from '@sluice/messaging';
import type { ExecutorContext } from '../context';
import type { LaneQueue } from '../lane-queue';

/** `sluice.writes.ready`: each write wakes its lane. The handler never waits for a provider. */
export function consumeReady(context: ExecutorContext, lanes: LaneQueue): Promise<Consumer> {
  return context.messaging.consume({
    topic: topics.ready,
    group: 'sluice-executor',
    handle: (writes) => {
      for (const write of writes) lanes.wake(write, 'message');
      return Promise.resolve();
    },
  });
}
