import { connectorOptions, databaseOptions, redisAccess } from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { createInstallations, type Installations } from '@sluice/installations';
import { connectRedis, type CacheAndQuotas } from '@sluice/redis';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Logger, type Metrics } from '@sluice/telemetry';
import { createLaneQuotas, createSearchPace, type LaneQuotas, type SearchPace } from '@sluice/writes';
import type { SearchConfig } from './config';

/** The object graph of one search service. Tests and the embedded launcher replace single collaborators. */
export interface SearchContext {
  readonly config: SearchConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly redis: CacheAndQuotas;
  readonly quotas: LaneQuotas;
  /** Quota of a search, for which it waits a moment. */
  readonly pace: SearchPace;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
}

const service = 'search';

export function createContext(config: SearchConfig, overrides: Partial<SearchContext> = {}): SearchContext {
  const logger = overrides.logger ?? createLogger({ service, level: config.logLevel });
  const metrics = overrides.metrics ?? createMetrics(service);
  const store =
    overrides.store ??
    createStore({
      ...databaseOptions(config),
      applicationName: service,
      logger,
      metrics,
    });
  const connectors =
    overrides.connectors ??
    createConnectors({
      ...connectorOptions(config),
      reconnects: true,
      logger,
      metrics,
    });
  const redis = overrides.redis ?? connectRedis({ ...redisAccess(config), logger, metrics });
  const quotas = overrides.quotas ?? createLaneQuotas(redis.quotas, metrics, redis.cache);
  return {
    config,
    logger,
    metrics,
    redis,
    quotas,
    pace: createSearchPace(quotas),
    connectors,
    installations: createInstallations({ store, keyring: config.credentialsKeys, connectors, logger, metrics }),
    store,
    ...overrides,
  };
}
