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
  callId,
  coalesce,
  createStore,
  sharedStatement,
} from '@sluice/store';
import { type Metrics, ByteBudget, createLogger, createMetrics, heapShare } from '@sluice/telemetry';
import { type CallContext, createCallContext } from '@sluice/writes';
import { type ExecutorConfig, assertRetention } from './config';

/** Calls of one statement at most: with 100 records each it is a reply of a few megabytes. */
const callsPerLoad = 16;

/** The object graph of one executor. Tests and the embedded launcher replace single collaborators. */
export interface ExecutorContext extends CallContext {
  readonly config: ExecutorConfig;
  /** Names this process in leases. */
  readonly owner: string;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly redis: CacheAndQuotas;
  readonly connectors: ConnectorRegistry;
  readonly installations: Installations;
  /** Memory for the plans of the calls under way. */
  readonly plans: ByteBudget;
  /** The unfinished records of a call, read in one statement with those of others. */
  readonly loadPending: (call: CallKey) => Promise<readonly PendingRecord[]>;
  /** Commits an intent, in one statement with others. False: the call may not be sent. */
  readonly recordIntent: (intent: Intent) => Promise<boolean>;
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
  const {
    logger = createLogger({ service, level: config.logLevel }),
    metrics = createMetrics(service),
    failpoints = createFailpoints(config.failpoint),
  } = overrides;
  const observed = { logger, metrics, failpoints };
  const { timeScale, credentialsKeys: keyring } = config;
  const {
    store = createStore({ ...databaseOptions(config), ...observed, applicationName: service, timeScale }),
    redis = connectRedis({ ...redisAccess(config), ...observed }),
    connectors = createConnectors({ ...connectorOptions(config), ...observed }),
    // A consumer that stalls in silence is replaced by its supervisor.
    messaging = createKafkaMessaging({
      ...kafkaAccess(config),
      ...observed,
      clientId: service,
      onStall: () => process.exit(1),
    }),
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
    plans: new ByteBudget(planBudgetBytes),
    installations: createInstallations({ ...observed, store, connectors, keyring }),
    loadPending: coalesce({
      ...sharedStatement,
      run: (calls: readonly CallKey[]) => store.writes.loadManyPending(calls),
      itemsMax: callsPerLoad,
    }),
    recordIntent: coalesce({
      ...sharedStatement,
      run: async (intents: readonly Intent[]) => {
        const sent = await store.writes.recordIntents(intents);
        return intents.map((intent) => sent.has(callId(intent)));
      },
    }),
    ...overrides,
  };
}
