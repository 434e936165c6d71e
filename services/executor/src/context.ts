import { hostname } from 'node:os';
import {
  type Failpoints,
  connectorOptions,
  createFailpoints,
  databaseOptions,
  kafkaAccess,
  redisAccess,
} from '@sluice/config';
import { type ConnectorRegistry, createConnectors } from '@sluice/connectors';
import { type Installations, createInstallations } from '@sluice/installations';
import { type Messaging, createKafkaMessaging } from '@sluice/messaging';
import { type CacheAndQuotas, connectRedis } from '@sluice/redis';
import {
  type CallKey,
  type Intent,
  type PendingRecord,
  type Store,
  type WriteStore,
  callId,
  createStore,
} from '@sluice/store';
import { type Logger, type Metrics, ByteBudget, createLogger, createMetrics, heapShare } from '@sluice/telemetry';
import {
  CallSizes,
  type LaneQuotas,
  type LeaseKeeper,
  type SharedSettle,
  type WriteMeters,
  coalesce,
  createLaneQuotas,
  createLeaseKeeper,
  createWriteMeters,
  sharedStatement,
  sharingSettlements,
} from '@sluice/writes';
import { type ExecutorConfig, assertRetention } from './config';

/** The object graph of one executor. Tests and the embedded launcher replace single collaborators. */
export interface ExecutorContext {
  readonly config: ExecutorConfig;
  /** Names this process in leases. */
  readonly owner: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly meters: WriteMeters;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly redis: CacheAndQuotas;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
  readonly leases: LeaseKeeper;
  readonly quotas: LaneQuotas;
  readonly callSizes: CallSizes;
  /** Memory for the plans of the calls under way. */
  readonly plans: ByteBudget;
  /** The unfinished records of a call, read in one statement with those of others. */
  readonly loadPending: (call: CallKey) => Promise<readonly PendingRecord[]>;
  /** Commits an intent, in one statement with others. False: the call may not be sent. */
  readonly recordIntent: (intent: Intent) => Promise<boolean>;
  /** Settles a call, in one statement with others that end at the same time. */
  readonly settle: SharedSettle;
  readonly failpoints: Failpoints;
}

const service = 'executor';

/**
 * Bytes of the plans of calls under way, as they are stored: a 24th of the heap, 13 MB in its image. A plan was measured to take eight times that
 * until its call is settled. That is its text and its value with two bytes a character, the provider's body, and what is sent of it (tests/memory).
 */
export const planBudgetBytes = heapShare(24);

export function createContext(config: ExecutorConfig, overrides: Partial<ExecutorContext> = {}): ExecutorContext {
  assertRetention(config);
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
      logger,
      metrics,
    });
  return {
    config,
    owner: `${service}/${hostname()}/${process.pid}`,
    logger,
    metrics,
    meters: createWriteMeters(
      metrics,
      connectors.all().map(({ provider }) => provider),
    ),
    store,
    messaging:
      overrides.messaging ??
      createKafkaMessaging({
        ...kafkaAccess(config),
        clientId: service,
        logger,
        metrics,
        failpoints,
        // A consumer that stalls in silence is replaced by its supervisor.
        onStall: () => process.exit(1),
      }),
    redis,
    quotas: createLaneQuotas(redis.quotas, metrics, redis.cache),
    callSizes: new CallSizes(config.timeScale),
    plans: new ByteBudget(planBudgetBytes),
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
    loadPending: sharingLoads(store.writes),
    recordIntent: sharingIntents(store.writes),
    settle: sharingSettlements(store.writes),
    failpoints,
    ...overrides,
  };
}

/** Calls of one statement at most: with 100 records each it is a reply of a few megabytes. */
const callsPerLoad = 16;

function sharingLoads(writes: Pick<WriteStore, 'loadManyPending'>): ExecutorContext['loadPending'] {
  return coalesce({ ...sharedStatement, run: (calls) => writes.loadManyPending(calls), itemsMax: callsPerLoad });
}

function sharingIntents(writes: Pick<WriteStore, 'recordIntents'>): ExecutorContext['recordIntent'] {
  return coalesce({
    ...sharedStatement,
    run: async (intents: readonly Intent[]) => {
      const sent = await writes.recordIntents(intents);
      return intents.map((intent) => sent.has(callId(intent)));
    },
  });
}
