import { connectorOptions, createFailpoints, databaseOptions, redisAccess } from '@sluice/config';
import { createConnectors, createReplyRoom, type ConnectorRegistry } from '@sluice/connectors';
import { createInstallations, type Installations } from '@sluice/installations';
import { connectRedis, type CacheAndQuotas } from '@sluice/redis';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Logger, type Metrics } from '@sluice/telemetry';
import { createWebhookSender, type WebhookSender } from '@sluice/webhooks';
import { assertSignIn, type ManagementConfig } from './config';
import { operationReader, watchOperations } from './operations/watch-operations';
import { openIdProvider, type OpenIdProvider } from './people/openid';
import type { OperationWatch, ReadOperation } from './operations/watch-operations';

/** The object graph of one management service. Tests and the embedded launcher replace single collaborators. */
export interface ManagementContext {
  readonly config: ManagementConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
  readonly webhookSender: WebhookSender;
  /** Where the writers count a quota. Undefined: no Redis was named. */
  readonly redis: CacheAndQuotas | undefined;
  readonly readOperation: ReadOperation;
  readonly watch: OperationWatch;
  /** Undefined: people sign in to the console with an API key only. */
  readonly openId: OpenIdProvider | undefined;
}

const service = 'management';

export function createContext(config: ManagementConfig, overrides: Partial<ManagementContext> = {}): ManagementContext {
  assertSignIn(config);
  const { logger = createLogger({ service, level: config.logLevel }), metrics = createMetrics(service) } = overrides;
  const observed = { logger, metrics, failpoints: createFailpoints(config.failpoint) };
  const { timeScale, credentialsKeys: keyring, adminKey } = config;
  const replyRoom = createReplyRoom();
  const access = redisAccess(config);
  const {
    store = createStore({
      ...databaseOptions(config),
      ...observed,
      answersRequests: true,
      applicationName: service,
      timeScale,
    }),
    connectors = createConnectors({ ...connectorOptions(config), ...observed, reconnects: true, replyRoom }),
    redis = access && connectRedis({ ...access, ...observed }),
  } = overrides;
  return {
    config,
    logger,
    metrics,
    store,
    connectors,
    installations: createInstallations({ store, connectors, logger, metrics, keyring, adminKey }),
    redis,
    webhookSender: createWebhookSender({ egressAllow: config.webhookEgressAllow, timeoutMs: config.webhookTimeoutMs }),
    readOperation: operationReader(store),
    watch: watchOperations(store, logger),
    openId: openIdProvider(config, replyRoom),
    ...overrides,
  };
}
