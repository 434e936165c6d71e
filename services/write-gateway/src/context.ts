import { hostname } from 'node:os';
import {
  connectorOptions,
  createFailpoints,
  databaseOptions,
  kafkaAccess,
  redisAccess,
  type Failpoints,
} from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { RequestLimits } from '@sluice/http';
import { createInstallations, type Installations } from '@sluice/installations';
import { createKafkaMessaging, topics, type Announcer, type Messaging } from '@sluice/messaging';
import { connectRedis, type CacheAndQuotas } from '@sluice/redis';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Metrics } from '@sluice/telemetry';
import { createAcceptMeters, createCallContext, type AcceptMeters, type CallContext } from '@sluice/writes';
import { Admission } from './admission';
import { createCommits } from './commits';
import type { GatewayConfig } from './config';

/** The object graph of one gateway. Tests and the embedded launcher replace single collaborators. */
export interface GatewayContext extends CallContext {
  readonly config: GatewayConfig;
  /** Names this process in leases. */
  readonly owner: string;
  readonly metrics: Metrics;
  readonly acceptMeters: AcceptMeters;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly announcers: Readonly<Record<keyof typeof topics, Announcer>>;
  readonly redis: CacheAndQuotas;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
  readonly admission: Admission;
  readonly commits: ReturnType<typeof createCommits>;
  /** Limits of the requests of a project and of a group. */
  readonly requestLimits: RequestLimits;
  readonly failpoints: Failpoints;
  /** Settlements whose reply may have left already: a stop waits for them. */
  readonly settling: Set<Promise<unknown>>;
}

const service = 'write-gateway';

export function createContext(config: GatewayConfig, overrides: Partial<GatewayContext> = {}): GatewayContext {
  const {
    logger = createLogger({ service, level: config.logLevel }),
    metrics = createMetrics(service),
    failpoints = createFailpoints(config.failpoint),
  } = overrides;
  const observed = { logger, metrics, failpoints };
  const { timeScale, credentialsKeys: keyring } = config;
  const {
    store = createStore({
      ...databaseOptions(config),
      ...observed,
      answersRequests: true,
      applicationName: service,
      timeScale,
    }),
    redis = connectRedis({ ...redisAccess(config), ...observed }),
    connectors = createConnectors({ ...connectorOptions(config), ...observed, reconnects: true }),
    messaging = createKafkaMessaging({ ...kafkaAccess(config), ...observed, clientId: service }),
  } = overrides;
  return {
    config,
    owner: `${service}/${hostname()}/${process.pid}`,
    ...observed,
    store,
    redis,
    connectors,
    messaging,
    ...createCallContext({ ...observed, store, redis, connectors }, timeScale),
    acceptMeters: createAcceptMeters(metrics),
    announcers: { ready: messaging.announcer(topics.ready), autoBatched: messaging.announcer(topics.autoBatched) },
    admission: new Admission({ writes: store.writes, limits: config, logger, metrics }),
    commits: createCommits(store.writes),
    requestLimits: new RequestLimits(redis.quotas, config),
    installations: createInstallations({ ...observed, store, connectors, keyring }),
    settling: new Set(),
    ...overrides,
  };
}
