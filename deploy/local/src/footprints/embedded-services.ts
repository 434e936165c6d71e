import { batcherEnv, createBatcherService, createContext as batcherContext } from '@sluice/batcher';
import { createContext as executorContext, createExecutorService, executorEnv } from '@sluice/executor';
import { createContext as managementContext, createManagementService, managementEnv } from '@sluice/management';
import { createInProcessHub, createInProcessMessaging } from '@sluice/messaging';
import { createInMemoryRedis } from '@sluice/redis';
import { createContext as searchContext, createSearchService, searchEnv } from '@sluice/search';
import { createLogger, createMetrics } from '@sluice/telemetry';
import { createContext as gatewayContext, createGatewayService, gatewayEnv } from '@sluice/write-gateway';
import type { ProcessName } from '../service-ports';
import { listenEnv, publicEnv } from './service-env';

interface EmbeddedService {
  start(): Promise<{ readonly port: number }>;
  stop(): Promise<void>;
}

export interface EmbeddedServicesOptions {
  readonly portBase: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logLevel: string;
  readonly logStream: NodeJS.WritableStream;
}

/**
 * The five services as objects of this process, each with its own store and logger, as when it runs alone. One hub
 * replaces Kafka, one set of hints replaces Redis: quotas count what all of them send. In the order of starting.
 */
export function createEmbeddedServices(options: EmbeddedServicesOptions): readonly EmbeddedService[] {
  const { portBase, env, logLevel, logStream } = options;
  const hub = createInProcessHub();
  const redis = createInMemoryRedis();
  // On this machine alone, unless an address is given: a container is reached from outside.
  const { SLUICE_HOST: host = '' } = env;
  const envOf = (name: ProcessName) => ({
    ...publicEnv(portBase),
    ...env,
    ...listenEnv(portBase, name),
    ...(host !== '' && { SLUICE_HOST: host }),
  });
  const observe = (service: ProcessName) => ({
    logger: createLogger({ service, level: logLevel, destination: logStream }),
    metrics: createMetrics(service),
  });
  const connect = (service: ProcessName) => {
    const observed = observe(service);
    return { ...observed, redis, messaging: createInProcessMessaging({ ...observed, hub }) };
  };
  return [
    createExecutorService(executorContext(executorEnv.read(envOf('executor')), connect('executor'))),
    createBatcherService(batcherContext(batcherEnv.read(envOf('batcher')), connect('batcher'))),
    createManagementService(
      managementContext(managementEnv.read(envOf('management')), { ...observe('management'), redis }),
    ),
    createSearchService(searchContext(searchEnv.read(envOf('search')), { ...observe('search'), redis })),
    createGatewayService(gatewayContext(gatewayEnv.read(envOf('write-gateway')), connect('write-gateway'))),
  ];
}
