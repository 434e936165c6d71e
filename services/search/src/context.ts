import { connectorOptions, databaseOptions, redisAccess } from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { RequestLimits } from '@sluice/http';
import { createInstallations, type Installations } from '@sluice/installations';
import { connectRedis, type CacheAndQuotas } from '@sluice/redis';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Logger, type Metrics } from '@sluice/telemetry';
import { createSearchPace, LaneQuotas, type SearchPace } from '@sluice/writes';
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
  /** Limits of the requests of a project and of a group. */
  readonly requestLimits: RequestLimits;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
}

const service = 'search';

export function createContext(config: SearchConfig, overrides: Partial<SearchContext> = {}): SearchContext {
  const { logger = createLogger({ service, level: config.logLevel }), metrics = createMetrics(service) } = overrides;
  const observed = { logger, metrics };
  const {
    store = createStore({ ...databaseOptions(config), ...observed, answersRequests: true, applicationName: service }),
    redis = connectRedis({ ...redisAccess(config), ...observed }),
    connectors = createConnectors({ ...connectorOptions(config), ...observed, reconnects: true }),
    quotas = new LaneQuotas(redis.quotas, metrics, redis.cache),
  } = overrides;
  return {
    config,
    ...observed,
    store,
    redis,
    connectors,
    quotas,
    pace: createSearchPace(quotas),
    requestLimits: new RequestLimits(redis.quotas, config),
    installations: createInstallations({ ...observed, store, connectors, keyring: config.credentialsKeys }),
    ...overrides,
  };
}
