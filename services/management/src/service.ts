import { authenticator, createApp, type HttpServer, readyWhen, type Router, startServer } from '@sluice/http';
import type { ManagementContext } from './context';
import { apiKeyRoutes } from './routes/api-keys';
import { connectionRoutes } from './routes/connections';
import { installationChangeRoutes } from './routes/installation-changes';
import { installationRoutes } from './routes/installations';
import { integrationRoutes } from './routes/integrations';
import { operationRoutes } from './routes/operations';
import { projectRoutes } from './routes/projects';
import { watchOperations, type OperationWatch } from './watch-operations';
import { providerAppRoutes } from './routes/provider-apps';

export { managementEnv, type ManagementConfig } from './config';
export { createContext, type ManagementContext } from './context';

export interface ManagementService {
  /** Refuses an unmigrated database, then listens. */
  start(): Promise<{ readonly port: number }>;
  /** Requests in flight finish. */
  stop(): Promise<void>;
}

export function createManagementService(context: ManagementContext): ManagementService {
  const { config, logger, store } = context;
  const watch = watchOperations(store, logger);
  const app = createManagementApp(context, watch);
  let server: HttpServer | undefined;
  return {
    start: async () => {
      await store.assertMigrated();
      server = await startServer(app, { port: config.port, host: config.host, logger, shutdownMs: config.shutdownMs });
      return { port: server.port };
    },
    stop: async () => {
      watch.stop();
      await server?.close();
      await Promise.all([context.connectors.close(), store.close()]);
    },
  };
}

function createManagementApp(context: ManagementContext, watch: OperationWatch) {
  const { logger, metrics, store } = context;
  return createApp({
    service: 'management',
    logger,
    metrics,
    cors: true,
    authenticate: authenticator(context.installations.findCaller),
    ready: readyWhen({ postgres: () => store.healthy() }),
    routes: (router) => registerRoutes(router, context, watch),
  });
}

function registerRoutes(router: Router, context: ManagementContext, watch: OperationWatch): void {
  projectRoutes(router, context);
  apiKeyRoutes(router, context);
  integrationRoutes(router, context);
  connectionRoutes(router, context);
  installationRoutes(router, context);
  installationChangeRoutes(router, context);
  operationRoutes(router, context, watch);
  providerAppRoutes(router, context);
}
