import {
  authenticator,
  type BuiltDocument,
  contractOfApp,
  createApp,
  type HttpServer,
  readyWhen,
  requestLimits,
  type Router,
  startMetricsServer,
  startServer,
} from '@sluice/http';
import { assertRingOpens } from '@sluice/installations';
import { createInMemoryHints } from '@sluice/redis';
import type { ManagementContext } from './context';
import { managementApi } from './api';
import { consoleRoutes } from './routes/console';
import { apiKeyRoutes } from './routes/api-keys';
import { connectionChangeRoutes } from './routes/connection-changes';
import { deploymentRoutes } from './routes/deployments';
import { configRoutes } from './routes/configs';
import { connectionRoutes } from './routes/connections';
import { oauthCallbackRoutes } from './routes/oauth-callback';
import { oauthConnectPath, oauthConnectRoutes } from './routes/oauth-connect';
import { installationChangeRoutes } from './routes/installation-changes';
import { installationRoutes } from './routes/installations';
import { compatibilityRoutes } from './compat/routes';
import { sweepDeletions } from './compat/sweep-deletions';
import { integrationRoutes } from './routes/integrations';
import { jwtKeyRoutes } from './routes/jwt-keys';
import { laneRoutes } from './routes/lanes';
import { operationChangeRoutes } from './routes/operation-changes';
import { operationListRoutes } from './routes/operation-lists';
import { objectMetadataRoutes } from './routes/object-metadata';
import { operationProgressRoutes } from './routes/operation-progress';
import { operationExplanationRoute } from './routes/operation-explanation';
import { operationRoutes } from './routes/operations';
import { projectRoutes } from './routes/projects';
import { watchOperations, type OperationWatch } from './watch-operations';
import { providerAppRoutes } from './routes/provider-apps';
import { providerRoutes } from './routes/providers';
import { revisionRoutes } from './routes/revisions';
import { uploadRoutes, uploadUrlRoutes } from './routes/uploads';
import { webhookEndpointRoutes } from './routes/webhook-endpoints';
import { webhookMessageRoutes } from './routes/webhook-messages';
import { webhookReplayRoutes } from './routes/webhook-replays';
import { webhookSecretRoutes } from './routes/webhook-secrets';
import { deliverMessages, type Delivery } from './webhooks/deliver-messages';
import { sweepMessages } from './webhooks/sweep-messages';

export { managementEnv, type ManagementConfig } from './config';
export { createContext, type ManagementContext } from './context';

export interface ManagementService {
  /** What its routes promise. */
  readonly contract: BuiltDocument;
  /** Refuses an unmigrated database and a key ring that is not its own, then listens and delivers notifications. */
  start(): Promise<{ readonly port: number }>;
  /** Requests in flight finish; deliveries in flight have a few seconds, and another process repeats what has not ended. */
  stop(): Promise<void>;
}

export function createManagementService(context: ManagementContext): ManagementService {
  const { config, logger, metrics, store } = context;
  const watch = watchOperations(store, logger);
  const app = createManagementApp(context, watch);
  let server: HttpServer | undefined;
  let metricsServer: HttpServer | undefined;
  let delivery: Delivery | undefined;
  let endSweeps: readonly (() => Promise<void>)[] = [];
  return {
    contract: contractOfApp(app),
    start: async () => {
      await store.assertMigrated();
      await assertRingOpens(store, config.credentialsKeys);
      const { port, host, drainDelayMs, idleGraceMs, shutdownMs } = config;
      metricsServer = await startMetricsServer({ metrics, logger, port: config.metricsPort, host: config.host });
      server = await startServer(app, { port, host, logger, drainDelayMs, idleGraceMs, shutdownMs });
      delivery = deliverMessages(context);
      endSweeps = [sweepMessages(context), sweepDeletions(context)];
      return { port: server.port };
    },
    stop: async () => {
      watch.stop();
      await Promise.all([server?.close(), delivery?.stop(), ...endSweeps.map((end) => end())]);
      await Promise.all([context.connectors.close(), context.hints?.close(), store.close()]);
      // Last, so that the drain can be watched.
      await metricsServer?.close();
    },
  };
}

function createManagementApp(context: ManagementContext, watch: OperationWatch) {
  const { config, logger, metrics, store } = context;
  // Without a Redis each process counts by itself.
  const { quotas } = context.hints ?? createInMemoryHints();
  return createApp({
    service: 'management',
    logger,
    metrics,
    cors: true,
    cookiePaths: [oauthConnectPath],
    api: managementApi,
    checkReplies: config.checkReplies,
    authenticate: requestLimits({ counter: quotas, ...config }).after(authenticator(context.installations.findCaller)),
    ready: readyWhen({ postgres: () => store.healthy() }),
    routes: (router) => registerRoutes(router, context, watch),
    openRoutes: (router) => registerOpenRoutes(router, context),
  });
}

function registerRoutes(router: Router, context: ManagementContext, watch: OperationWatch): void {
  projectRoutes(router, context);
  apiKeyRoutes(router, context);
  jwtKeyRoutes(router, context);
  integrationRoutes(router, context);
  uploadUrlRoutes(router, context);
  deploymentRoutes(router, context);
  revisionRoutes(router, context);
  objectMetadataRoutes(router, context);
  connectionRoutes(router, context);
  connectionChangeRoutes(router, context);
  oauthConnectRoutes(router, context);
  installationRoutes(router, context);
  installationChangeRoutes(router, context);
  configRoutes(router, context);
  operationRoutes(router, context, watch);
  operationProgressRoutes(router, context);
  operationExplanationRoute(router, context);
  operationListRoutes(router, context);
  operationChangeRoutes(router, context);
  laneRoutes(router, context);
  providerAppRoutes(router, context);
  webhookEndpointRoutes(router, context);
  webhookSecretRoutes(router, context);
  webhookMessageRoutes(router, context);
  webhookReplayRoutes(router, context);
  compatibilityRoutes(router, context);
}

/** For anybody, without credentials. */
function registerOpenRoutes(router: Router, context: ManagementContext): void {
  oauthCallbackRoutes(router, context);
  uploadRoutes(router, context);
  providerRoutes(router, context);
  consoleRoutes(router, context);
}
