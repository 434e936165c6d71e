import { authenticator, contractOfApp, createApp, createService, RequestLimits } from '@sluice/http';
import type { ApiInfo, ApiService } from '@sluice/http';
import { assertKeyRingComplete } from '@sluice/installations';
import { createInMemoryRedis } from '@sluice/redis';
import { keepMinutes, watchHealth } from '@sluice/telemetry';
import { oauthCallbackRoutes } from './connect-sessions/callback-routes';
import { connectPageRoutes } from './connect-sessions/connect-page-routes';
import { connectSessionRoutes } from './connect-sessions/connect-session-routes';
import { connectionChangeRoutes, connectionRoutes } from './connections/connection-routes';
import { oauthConnectPath, oauthConnectRoutes } from './connections/oauth-routes';
import { providerAppRoutes, providerRoutes } from './connections/provider-routes';
import type { ManagementContext } from './context';
import { configRoutes } from './installations/config-routes';
import { groupRoutes } from './installations/group-routes';
import { installationChangeRoutes, installationRoutes } from './installations/installation-routes';
import { deploymentRoutes, integrationRoutes } from './integrations/integration-routes';
import { objectMetadataRoutes } from './integrations/object-metadata';
import { uploadRoutes, uploadUrlRoutes } from './integrations/uploads';
import { laneRoutes, operationChangeRoutes, operationListRoutes, operationRoutes } from './operations/operation-routes';
import { overviewRoutes } from './operations/overview-routes';
import { pageRoutes } from './page-routes';
import { personCaller } from './people/session';
import { signInRoutes } from './people/sign-in-routes';
import { apiKeyRoutes, jwtKeyRoutes } from './projects/key-routes';
import { compatibilityRoutes, projectRoutes } from './projects/project-routes';
import { sweepDeletions } from './projects/sweep-deletions';
import { deliverMessages } from './webhooks/deliver-messages';
import { sweepMessages } from './webhooks/sweep-messages';
import { webhookEndpointRoutes, webhookMessageRoutes, webhookReplayRoutes } from './webhooks/webhook-routes';

export { managementEnv, type ManagementConfig } from './config';
export { createContext, type ManagementContext } from './context';

/** What the management API is, for its document. Tags stand in the order of a builder's first day. */
const managementApi: ApiInfo = {
  title: 'Sluice management API',
  description: [
    'Projects, integrations, connections, installations and operations. All paths are relative to the base URL, which ends in /v1.',
    'Every request carries the header x-api-key, or Authorization: Bearer. A resource of another project is answered with 404, as if it did not exist.',
    'Errors are problem documents (RFC 9457, application/problem+json). code is stable. remedy says what to do. retryable says whether the same request may succeed later.',
    'Moments are ISO 8601 date-times with offset. Members without a value are left out, never null. Replies may gain members: ignore what you do not know.',
    'Stored and returned, but not executed: schedule, destination, backfill, delivery and fieldFilters of read objects, proxy, subscribe, module and watchSchema. Nothing reads on a schedule, delivers to a destination or proxies calls.',
  ].join('\n\n'),
  tags: [
    { name: 'Projects', description: "A builder's space." },
    { name: 'API keys', description: 'Keys of a project. The key itself is shown once, when it is made.' },
    { name: 'JWT keys', description: 'Public keys that bearer tokens are checked with.' },
    { name: 'Providers', description: 'What the connected SaaS providers can do.' },
    { name: 'Provider apps', description: "A builder's OAuth apps at the providers. Their secrets are never shown." },
    { name: 'Integrations', description: 'The declarations of a manifest, and their revisions.' },
    { name: 'Object metadata', description: "Fields of an object, as one customer's account has them." },
    { name: 'Connections', description: "Customers' accounts at the providers." },
    { name: 'Installations', description: 'Integrations that groups have installed, and their configs.' },
    { name: 'Operations', description: 'The outcome of writes.' },
    { name: 'Webhooks', description: 'The addresses of notifications, and the outcome of each.' },
    { name: 'Compatibility', description: 'Routes that only older clients need.' },
  ],
};

const routes = [
  projectRoutes,
  apiKeyRoutes,
  jwtKeyRoutes,
  integrationRoutes,
  uploadUrlRoutes,
  deploymentRoutes,
  objectMetadataRoutes,
  connectionRoutes,
  connectionChangeRoutes,
  oauthConnectRoutes,
  connectSessionRoutes,
  installationRoutes,
  groupRoutes,
  installationChangeRoutes,
  configRoutes,
  operationRoutes,
  operationListRoutes,
  operationChangeRoutes,
  laneRoutes,
  overviewRoutes,
  providerAppRoutes,
  webhookEndpointRoutes,
  webhookMessageRoutes,
  webhookReplayRoutes,
  compatibilityRoutes,
];
/** Open to every caller, without credentials. */
// Before the pages, whose files have any name.
const openRoutes = [oauthCallbackRoutes, connectPageRoutes, uploadRoutes, providerRoutes, signInRoutes, pageRoutes];

/** Starting also begins to deliver notifications. Stopping gives deliveries in flight a few seconds; another process repeats what has not ended. */
export function createManagementService(context: ManagementContext): ApiService {
  const { config, logger, metrics, store } = context;
  // Without a Redis each process counts by itself.
  const { quotas } = context.redis ?? createInMemoryRedis();
  const health = watchHealth({
    ...context,
    isSilent: store.isSilent,
    checks: { postgres: store.health, redis: context.redis?.health },
  });
  const app = createApp({
    service: 'management',
    logger,
    metrics,
    cors: true,
    cookiePaths: [oauthConnectPath],
    api: managementApi,
    authenticate: new RequestLimits(quotas, config).after(
      authenticator(context.installations.findCaller, context.openId && personCaller(context)),
    ),
    ready: health.ready,
    routes: (router) => routes.forEach((register) => register(router, context)),
    openRoutes: (router) => openRoutes.forEach((register) => register(router, context)),
  });
  const service = createService({
    ...context,
    app,
    check: async () => {
      await store.assertMigrated();
      await assertKeyRingComplete(store, config.credentialsKeys);
    },
    parts: [
      // Requests that wait for an operation are answered now.
      { stage: 'drain', stop: () => context.watch.stop() },
      // Deliveries have as long to end as requests have, not a time of their own after it.
      { stage: 'drain', start: () => deliverMessages(context) },
      { stage: 'loops', start: () => sweepMessages(context) },
      { stage: 'loops', start: () => sweepDeletions(context) },
      { stage: 'loops', start: () => health.start() },
      { stage: 'flush', start: () => keepMinutes({ service: 'management', ...context }) },
      { stage: 'close', stop: () => context.redis?.close() },
      { stage: 'close', stop: () => context.connectors.close() },
      { stage: 'close', stop: () => store.close() },
    ],
  });
  return { contract: contractOfApp(app), ...service };
}
