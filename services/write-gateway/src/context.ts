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
import { requestLimits, type RequestLimits } from '@sluice/http';
import { createInstallations, type Installations } from '@sluice/installations';
import { createKafkaMessaging, topics, type Announcer, type Messaging } from '@sluice/messaging';
import { connectRedis, type CacheAndQuotas } from '@sluice/redis';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Logger, type Metrics } from '@sluice/telemetry';
import {
  CallSizes,
  createAcceptMeters,
  createLaneQuotas,
  createLeaseKeeper,
  createWriteMeters,
  sharingSettlements,
  type AcceptMeters,
  type LaneQuotas,
  type LeaseKeeper,
  type SharedSettle,
  type WriteMeters,
} from '@sluice/writes';
import { createAdmission, type Admission } from './admission';
import { createCommits } from './commits';
import type { GatewayConfig } from './config';

/** The object graph of one gateway. Tests and the embedded launcher replace single collaborators. */
export interface GatewayContext {
  readonly config: GatewayConfig;
  /** Names this process in leases. */
  readonly owner: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly meters: WriteMeters & AcceptMeters;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly announcers: Readonly<Record<keyof typeof topics, Announcer>>;
  readonly redis: CacheAndQuotas;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
  readonly leases: LeaseKeeper;
  readonly quotas: LaneQuotas;
  readonly callSizes: CallSizes;
  /** Settles a call, in one statement with others that end at the same time. */
  readonly settle: SharedSettle;
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
  const logger = overrides.logger ?? createLogger({ service, level: config.logLevel });
  const metrics = overrides.metrics ?? createMetrics(service);
  const failpoints = overrides.failpoints ?? createFailpoints(config.failpoint);
  const store =
    overrides.store ??
    createStore({
      ...databaseOptions(config),
      applicationName: service,
      timeScale: config.timeScale,
      logger,
      failpoints,
      metrics,
    });
  const redis = overrides.redis ?? connectRedis({ ...redisAccess(config), logger, metrics });
  const connectors =
    overrides.connectors ??
    createConnectors({
      ...connectorOptions(config),
      reconnects: true,
      logger,
      metrics,
    });
  const messaging =
    overrides.messaging ??
    createKafkaMessaging({ ...kafkaAccess(config), clientId: service, logger, metrics, failpoints });
  return {
    config,
    owner: `${service}/${hostname()}/${process.pid}`,
    logger,
    metrics,
    meters: {
      ...createAcceptMeters(metrics),
      ...createWriteMeters(
        metrics,
        connectors.all().map(({ provider }) => provider),
      ),
    },
    messaging,
    announcers: { ready: messaging.announcer(topics.ready), autoBatched: messaging.announcer(topics.autoBatched) },
    redis,
    quotas: createLaneQuotas(redis.quotas, metrics, redis.cache),
    callSizes: new CallSizes(config.timeScale),
    admission: createAdmission({ writes: store.writes, limits: config, logger, metrics }),
    commits: createCommits(store.writes),
    requestLimits: requestLimits({ counter: redis.quotas, ...config }),
    connectors,
    installations: createInstallations({
      store,
      keyring: config.credentialsKeys,
      connectors,
      logger,
      metrics,
      failpoints,
    }),
    leases: createLeaseKeeper(store.writes, logger),
    settle: sharingSettlements(store.writes),
    failpoints,
    settling: new Set(),
    store,
    ...overrides,
  };
}
