import { createApp, createService, type RunnableService } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import type { Consumer } from '@sluice/messaging';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { startClaimLoop, type ClaimLoop, consumeReady } from './claim-loop';
import type { ExecutorContext } from './context';
import { startSweeps } from './sweeps';

export { executorEnv, type ExecutorConfig } from './config';
export { createContext, type ExecutorContext } from './context';

/** Stopping leaves the group, claims no more, finishes the calls in flight and settles them. */
export function createExecutorService(context: ExecutorContext): RunnableService {
  const { config, logger, metrics, store, messaging } = context;
  let consumer: Consumer | undefined;
  let loop: ClaimLoop | undefined;
  let endSweeps = (): Promise<void> => Promise.resolve();
  let endMinutes = endSweeps;
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
    begin: async () => {
      loop = startClaimLoop(context);
      consumer = await consumeReady(context, loop.lanes);
      endSweeps = startSweeps(context, loop);
      endMinutes = keepMinutes({ service: 'executor', ...context });
      await health.start();
    },
    end: async (closeServer) => {
      await Promise.all([endSweeps(), consumer?.stop(), health.stop()]);
      await loop?.stop();
      context.leases.stop();
      await endMinutes();
      await messaging.close();
      await closeServer();
      await Promise.all([context.redis.close(), context.connectors.close(), store.close()]);
    },
  });
}
