import { connectorOptions, createFailpoints, databaseOptions, kafkaAccess, type Failpoints } from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { createKafkaMessaging, orphanMessages, topics, type Announcer, type Messaging } from '@sluice/messaging';
import { createStore, type Store } from '@sluice/store';
import {
  createLogger,
  createMetrics,
  type Counter,
  type Histogram,
  type Logger,
  type Metrics,
} from '@sluice/telemetry';
import type { BatcherConfig } from './config';

/** The object graph of one batcher. Tests and the embedded launcher replace single collaborators. */
export interface BatcherContext {
  readonly config: BatcherConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly messaging: Messaging;
  /** Announces calls that can be claimed. */
  readonly announcer: Announcer;
  readonly flushed: Counter<'sluice_batches_flushed_total'>;
  readonly fill: Histogram<'sluice_batch_fill_records'>;
  /** Counts and logs messages that name no batch. */
  readonly countOrphan: ReturnType<typeof orphanMessages>;
  /** Used for capabilities only: how many records one call takes. */
  readonly connectors: ConnectorRegistry;
  readonly failpoints: Failpoints;
}

const service = 'batcher';

export function createContext(config: BatcherConfig, overrides: Partial<BatcherContext> = {}): BatcherContext {
  const {
    logger = createLogger({ service, level: config.logLevel }),
    metrics = createMetrics(service),
    failpoints = createFailpoints(config.failpoint),
  } = overrides;
  const observed = { logger, metrics, failpoints };
  const { timeScale } = config;
  const {
    store = createStore({ ...databaseOptions(config), ...observed, applicationName: service, timeScale }),
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
    ...observed,
    store,
    connectors,
    messaging,
    announcer: messaging.announcer(topics.ready),
    flushed: metrics.counter('sluice_batches_flushed_total'),
    fill: metrics.histogram('sluice_batch_fill_records'),
    countOrphan: orphanMessages({ logger, metrics }, topics.autoBatched),
    ...overrides,
  };
}
