import { createApp, createService, type RunnableService } from '@sluice/http';
import type { Consumer } from '@sluice/messaging';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { consumeAutoBatched, createDueTimers } from './consumers/auto-batched';
import type { BatcherContext } from './context';
import { sampleBacklog, storeBacklog } from './sample-backlog';
import { sweepDue, sweepKeys } from './sweeps';

export { batcherEnv, type BatcherConfig } from './config';
export { createContext, type BatcherContext } from './context';

/** Stopping leaves the group after the flushes in hand. */
export function createBatcherService(context: BatcherContext): RunnableService {
  const { logger, metrics, store, messaging } = context;
  const timers = createDueTimers(context);
  const health = watchHealth({ ...context, checks: { postgres: store.health, kafka: () => messaging.health() } });
  let consumer: Consumer | undefined;
  let ends: readonly (() => Promise<void>)[] = [];
  return createService({
    ...context,
    app: createApp({ service: 'batcher', logger, metrics, ready: health.ready }),
    check: () => store.assertMigrated(),
    begin: async () => {
      consumer = await consumeAutoBatched(context, timers);
      ends = [
        sweepDue(context),
        sweepKeys(context),
        sampleBacklog(context),
        storeBacklog(context),
        keepMinutes({ service: 'batcher', ...context }),
      ];
      await health.start();
    },
    end: async (closeServer) => {
      await Promise.all([...ends.map((end) => end()), consumer?.stop(), health.stop()]);
      await timers.stop();
      await messaging.close();
      await closeServer();
      await Promise.all([context.connectors.close(), store.close()]);
    },
  });
}
