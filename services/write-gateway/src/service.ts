import { type ApiService, authenticator, contractOfApp, createApp, createService, requestLimits } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import type { GatewayContext } from './context';
import { writeApi } from './api';
import { acceptor } from './accept-write';
import { findReply } from './idempotency';
import { joiner } from './join-auto-batch';
import { planPresenter } from './present-write';
import { writeRecordsRoute, type Writers } from './routes/write-records';
import { synchronousWriter } from './write-synchronously';

export { gatewayEnv, type GatewayConfig } from './config';
export { createContext, type GatewayContext } from './context';

/** Stopping drains: requests in flight finish, announcements leave. */
export function createGatewayService(context: GatewayContext): ApiService {
  const { config, logger, metrics, store, messaging } = context;
  let endMinutes = (): Promise<void> => Promise.resolve();
  const limits = requestLimits({ counter: context.redis.quotas, ...config });
  const writers: Writers = {
    limits,
    accept: acceptor(context),
    join: joiner(context),
    writeNow: synchronousWriter(context),
    plan: planPresenter(context),
    findReply: (call) => findReply(context, call),
  };
  const health = watchHealth({
    ...context,
    checks: { postgres: store.health, redis: context.redis.health, kafka: () => messaging.health() },
  });
  const app = createApp({
    service: 'write-gateway',
    logger,
    metrics,
    cors: true,
    api: writeApi,
    authenticate: limits.after(authenticator(context.installations.findCaller)),
    // Accepting needs Postgres alone. Without the broker work starts later, without Redis quotas are halved.
    ready: health.ready,
    routes: (router) => writeRecordsRoute(router, writers),
  });
  const service = createService({
    ...context,
    app,
    check: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
    },
    begin: async () => {
      endMinutes = keepMinutes({ service: 'write-gateway', ...context });
      await health.start();
    },
    end: async (closeServer) => {
      await closeServer();
      await Promise.all(context.settling);
      context.leases.stop();
      await context.admission.stop();
      await Promise.all([endMinutes(), health.stop()]);
      await messaging.close();
      await Promise.all([context.redis.close(), context.connectors.close(), store.close()]);
    },
  });
  return { contract: contractOfApp(app), ...service };
}
