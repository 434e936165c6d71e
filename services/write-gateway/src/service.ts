import {
  authenticator,
  type BuiltDocument,
  contractOfApp,
  createApp,
  type HttpServer,
  readyWhen,
  startServer,
} from '@sluice/http';
import type { GatewayContext } from './context';
import { writeApi } from './api';
import { acceptor } from './accept-write';
import { onceOnly } from './answer-once';
import { joiner } from './join-auto-batch';
import { planPresenter } from './present-plan';
import { writeRecordsRoute } from './routes/write-records';
import { synchronousWriter } from './write-synchronously';

export { gatewayEnv, type GatewayConfig } from './config';
export { createContext, type GatewayContext } from './context';

export interface GatewayService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
  /** Refuses an unmigrated database, then listens. */
  start(): Promise<{ readonly port: number }>;
  /** Drains: requests in flight finish, announcements leave. */
  stop(): Promise<void>;
}

export function createGatewayService(context: GatewayContext): GatewayService {
  const { config, logger, metrics, store, messaging } = context;
  let server: HttpServer | undefined;
  const writers = {
    accept: acceptor(context),
    join: joiner(context),
    writeNow: synchronousWriter(context),
    plan: planPresenter(context),
    once: onceOnly(context),
  };
  const app = createApp({
    service: 'write-gateway',
    logger,
    metrics,
    cors: true,
    api: writeApi,
    checkReplies: config.checkReplies,
    authenticate: authenticator(context.installations.findCaller),
    // Accepting needs Postgres alone. Without the broker work starts later, without Redis quotas are halved.
    ready: readyWhen({ postgres: () => store.healthy() }),
    routes: (router) => writeRecordsRoute(router, writers),
  });
  return {
    contract: contractOfApp(app),
    start: async () => {
      await store.assertMigrated();
      server = await startServer(app, { port: config.port, host: config.host, logger, shutdownMs: config.shutdownMs });
      return { port: server.port };
    },
    stop: async () => {
      await server?.close();
      await Promise.all(context.settling);
      context.leases.stop();
      await context.admission.stop();
      await messaging.close();
      await Promise.all([context.hints.close(), context.connectors.close(), store.close()]);
    },
  };
}
