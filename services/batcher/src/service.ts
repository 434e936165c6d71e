import { createApp, createService, type RunnableService } from '@sluice/http';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { consumeAutoBatched, DueTimers } from './consumers/auto-batched';
import type { BatcherContext } from './context';
import { sampleBacklog, storeBacklog } from './sample-backlog';
import { sweepDue, sweepKeys } from './sweeps';

export { batcherEnv, type BatcherConfig } from './config';
export { createContext, type BatcherContext } from './context';

/** Stopping leaves the group, then finishes the flushes in hand. */
export function createBatcherService(context: BatcherContext): RunnableService {
  const { logger, metrics, store, messaging } = context;
  const timers = new DueTimers(context);
  const health = watchHealth({ ...context, checks: { postgres: store.health, kafka: () => messaging.health() } });
  return createService({
    ...context,
    app: createApp({ service: 'batcher', logger, metrics, ready: health.ready }),
    check: () => store.assertMigrated(),
    parts: [
      { stage: 'consumers', start: () => consumeAutoBatched(context, timers) },
      { stage: 'loops', stop: () => timers.stop() },
      { stage: 'loops', start: () => sweepDue(context) },
      { stage: 'loops', start: () => sweepKeys(context) },
      { stage: 'loops', start: () => sampleBacklog(context) },
      { stage: 'loops', start: () => storeBacklog(context) },
      { stage: 'loops', start: () => health.start() },
      { stage: 'flush', start: () => keepMinutes({ service: 'batcher', ...context }) },
      { stage: 'flush', stop: () => messaging.close() },
      { stage: 'close', stop: () => context.connectors.close() },
      { stage: 'close', stop: () => store.close() },
    ],
  });
}
