import { type ApiService, authenticator, contractOfApp, createApp, createService } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import type { GatewayContext } from './context';
import { writeApi } from './routes/write-document';
import { writeRecordsRoute } from './routes/write-records';

export { gatewayEnv, type GatewayConfig } from './config';
export { createContext, type GatewayContext } from './context';

/** Stopping drains: requests in flight finish, announcements leave. */
export function createGatewayService(context: GatewayContext): ApiService {
  const { config, logger, metrics, store, messaging } = context;
  const health = watchHealth({
    ...context,
    isSilent: store.isSilent,
    checks: { postgres: store.health, redis: context.redis.health, kafka: () => messaging.health() },
  });
  const app = createApp({
    service: 'write-gateway',
    logger,
    metrics,
    cors: true,
    api: writeApi,
    authenticate: context.requestLimits.after(authenticator(context.installations.findCaller)),
    // Accepting needs Postgres alone. Without the broker work starts later, without Redis quotas are halved.
    ready: health.ready,
    routes: (router) => writeRecordsRoute(router, context),
  });
  const service = createService({
    ...context,
    app,
    check: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
    },
    parts: [
      { stage: 'loops', stop: () => Promise.all(context.settling) },
      { stage: 'loops', stop: () => context.admission.stop() },
      { stage: 'loops', start: () => health.start() },
      { stage: 'flush', stop: () => context.leases.stop() },
      { stage: 'flush', start: () => keepMinutes({ service: 'write-gateway', ...context }) },
      { stage: 'flush', stop: () => messaging.close() },
      { stage: 'close', stop: () => context.redis.close() },
      { stage: 'close', stop: () => context.connectors.close() },
      { stage: 'close', stop: () => store.close() },
    ],
  });
  return { contract: contractOfApp(app), ...service };
}
