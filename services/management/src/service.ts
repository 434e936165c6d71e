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
import { consoleRoutes } from './console-routes';
import { apiKeyRoutes, jwtKeyRoutes } from './projects/key-routes';
import { connectionChangeRoutes } from './connections/connection-change-routes';
import { deploymentRoutes } from './integrations/deployment-routes';
import { configRoutes } from './installations/config-routes';
import { connectionRoutes } from './connections/connection-routes';
import { oauthCallbackRoutes } from './connections/oauth-callback-routes';
import { oauthConnectPath, oauthConnectRoutes } from './connections/oauth-connect-routes';
import { installationChangeRoutes } from './installations/installation-change-routes';
import { installationRoutes } from './installations/installation-routes';
import { sweepDeletions } from './projects/sweep-deletions';
import { integrationRoutes } from './integrations/integration-routes';
import { laneRoutes } from './operations/lane-routes';
import { operationChangeRoutes } from './operations/operation-change-routes';
import { operationListRoutes } from './operations/operation-list-routes';
import { objectMetadataRoutes } from './integrations/object-metadata-routes';
import { operationProgressRoutes } from './operations/operation-progress-routes';
import { operationExplanationRoute } from './operations/operation-explanation-routes';
import { operationRoutes } from './operations/operation-routes';
import { compatibilityRoutes, projectRoutes } from './projects/project-routes';
import { watchOperations, type OperationWatch } from './operations/watch-operations';
import { providerAppRoutes } from './connections/provider-app-routes';
import { providerRoutes } from './connections/provider-routes';
import { revisionRoutes } from './integrations/revision-routes';
import { uploadRoutes, uploadUrlRoutes } from './integrations/upload-routes';
import { webhookEndpointRoutes } from './webhooks/webhook-endpoint-routes';
import { webhookMessageRoutes } from './webhooks/webhook-message-routes';
import { webhookReplayRoutes } from './webhooks/webhook-replay-routes';
import { webhookSecretRoutes } from './webhooks/webhook-secret-routes';
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
