import { connectorOptions, createFailpoints, databaseOptions, kafkaAccess, type Failpoints } from '@sluice/config';
import { createConnectors, type ConnectorRegistry } from '@sluice/connectors';
import { createKafkaMessaging, type Messaging } from '@sluice/messaging';
import { createStore, type Store } from '@sluice/store';
import { createLogger, createMetrics, type Logger, type Metrics } from '@sluice/telemetry';
import type { BatcherConfig } from './config';

/** The object graph of one batcher. Tests and the embedded launcher replace single collaborators. */
export interface BatcherContext {
  readonly config: BatcherConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly messaging: Messaging;
  /** Used for capabilities only: how many records one call takes. */
  readonly connectors: ConnectorRegistry;
  readonly failpoints: Failpoints;
}

const service = 'batcher';

export function createContext(config: BatcherConfig, overrides: Partial<BatcherContext> = {}): BatcherContext {
  const logger = overrides.logger ?? createLogger({ service, level: config.logLevel });
  const metrics = overrides.metrics ?? createMetrics(service);
  const failpoints = overrides.failpoints ?? createFailpoints(config.failpoint);
  return {
    config,
    logger,
    metrics,
    store:
      overrides.store ??
      createStore({
        ...databaseOptions(config),
        applicationName: service,
        timeScale: config.timeScale,
        logger,
        metrics,
      }),
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
    connectors: createConnectors({
      ...connectorOptions(config),
      logger,
      metrics,
    }),
    failpoints,
    ...overrides,
  };
}
