import {
  authenticator,
  type BuiltDocument,
  contractOfApp,
  createApp,
  type HttpServer,
  requestLimits,
  startMetricsServer,
  startServer,
} from '@sluice/http';
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

export interface GatewayService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
  /** Refuses an unmigrated database and a key ring that is not its own, then listens. */
  start(): Promise<{ readonly port: number }>;
  /** Drains: requests in flight finish, announcements leave. */
  stop(): Promise<void>;
}

export function createGatewayService(context: GatewayContext): GatewayService {
  const { config, logger, metrics, store, messaging } = context;
  let server: HttpServer | undefined;
  let metricsServer: HttpServer | undefined;
  let endMinutes = (): Promise<void> => Promise.resolve();
  const limits = requestLimits({ counter: context.hints.quotas, ...config });
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
    checks: { postgres: store.health, redis: context.hints.health, kafka: () => messaging.health() },
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
  return {
    contract: contractOfApp(app),
    start: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
      const { port, host, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies } = config;
      metricsServer = await startMetricsServer({ metrics, logger, port: config.metricsPort, host: config.host });
      server = await startServer(app, { port, host, logger, drainDelayMs, idleGraceMs, shutdownMs, trustedProxies });
      endMinutes = keepMinutes({ service: 'write-gateway', ...context });
      await health.start();
      return { port: server.port };
    },
    stop: async () => {
      await server?.close();
      await Promise.all(context.settling);
      context.leases.stop();
      await context.admission.stop();
      await Promise.all([endMinutes(), health.stop()]);
      await messaging.close();
      await Promise.all([context.hints.close(), context.connectors.close(), store.close()]);
      // Last, so that the drain can be watched.
      await metricsServer?.close();
    },
  };
}
