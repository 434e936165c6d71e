import { authenticator, createApp, type HttpServer, readyWhen, type Router, startServer } from '@sluice/http';
import type { ManagementContext } from './context';
import { apiKeyRoutes } from './routes/api-keys';
import { connectionRoutes } from './routes/connections';
import { installationRoutes } from './routes/installations';
import { integrationRoutes } from './routes/integrations';
import { operationRoutes } from './routes/operations';
import { projectRoutes } from './routes/projects';

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
  const app = createManagementApp(context);
  let server: HttpServer | undefined;
  return {
    start: async () => {
      await store.assertMigrated();
      server = await startServer(app, { port: config.port, host: config.host, logger, shutdownMs: config.shutdownMs });
      return { port: server.port };
    },
    stop: async () => {
      await server?.close();
      await Promise.all([context.connectors.close(), store.close()]);
    },
  };
}

function createManagementApp(context: ManagementContext) {
  const { logger, metrics, store } = context;
  return createApp({
    service: 'management',
    logger,
    metrics,
    cors: true,
    authenticate: authenticator(context.installations.findCaller),
    ready: readyWhen({ postgres: () => store.healthy() }),
    routes: (router) => registerRoutes(router, context),
  });
}

function registerRoutes(router: Router, context: ManagementContext): void {
  projectRoutes(router, context);
  apiKeyRoutes(router, context);
  integrationRoutes(router, context);
  connectionRoutes(router, context);
  installationRoutes(router, context);
  operationRoutes(router, context);
}
