import { createApp, createService, type RunnableService } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { ClaimLoop, consumeReady } from './claim-loop';
import type { ExecutorContext } from './context';
import { startSweeps } from './sweeps';

export { executorEnv, type ExecutorConfig } from './config';
export { createContext, type ExecutorContext } from './context';

/** Stopping leaves the group, claims no more, finishes the calls in flight and settles them. */
export function createExecutorService(context: ExecutorContext): RunnableService {
  const { config, logger, metrics, store, messaging } = context;
  const loop = new ClaimLoop(context);
  const health = watchHealth({
    ...context,
    checks: { postgres: store.health, redis: context.redis.health, kafka: () => messaging.health() },
  });
  return createService({
    ...context,
    app: createApp({ service: 'executor', logger, metrics, ready: health.ready }),
    check: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
    },
    parts: [
      { stage: 'consumers', start: () => consumeReady(context, loop.lanes) },
      { stage: 'loops', stop: () => loop.stop() },
      { stage: 'loops', start: () => startSweeps(context, loop) },
      { stage: 'loops', start: () => health.start() },
      { stage: 'flush', stop: () => context.leases.stop() },
      { stage: 'flush', start: () => keepMinutes({ service: 'executor', ...context }) },
      { stage: 'flush', stop: () => messaging.close() },
      { stage: 'close', stop: () => context.redis.close() },
      { stage: 'close', stop: () => context.connectors.close() },
      { stage: 'close', stop: () => store.close() },
    ],
  });
}
