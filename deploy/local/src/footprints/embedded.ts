import { createWriteStream, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { batcherEnv, createBatcherService, createContext as batcherContext } from '@sluice/batcher';
import { createContext as executorContext, createExecutorService, executorEnv } from '@sluice/executor';
import { createContext as managementContext, createManagementService, managementEnv } from '@sluice/management';
import { createInProcessHub, createInProcessMessaging } from '@sluice/messaging';
import { createInMemoryRedis } from '@sluice/redis';
import { createSandbox } from '@sluice/sandbox';
import { createContext as searchContext, createSearchService, searchEnv } from '@sluice/search';
import { givenUrls, startStack } from '@sluice/stack';
import { createLogger, createMetrics, flushTraces } from '@sluice/telemetry';
import { createContext as gatewayContext, createGatewayService, gatewayEnv } from '@sluice/write-gateway';
import { migrateWithReport } from '../prepare-stack';
import { type ProcessName, servicePorts } from '../service-ports';
import { createSupervisor } from '../supervisor';
import { createStopList, type Footprint, type FootprintOptions } from './footprint';
import { listenEnv, publicEnv, sandboxJournal, serviceEnv } from './service-env';

// oxlint-disable-next-line import/no-unassigned-import -- what `node --require` does for a process of its own
import '@sluice/telemetry/register';

/** Never connected to: the services' tables ask for them, the launcher injects what is inside the process. */
const insideTheProcess = { kafkaBrokers: 'in-process:1', redisUrl: 'redis://in-process' };

/**
 * Everything in this process but Postgres, which outlives a `kill -9` and is taken over by the next start.
 * @throws DependencyError, ListenError; nothing is left running then
 */
export async function startEmbedded(options: FootprintOptions): Promise<Footprint> {
  const { settings, folder, withSandbox, log } = options;
  const { env, portBase, logLevel } = settings;
  const logs = join(folder, 'logs', 'embedded.log');
  const stops = createStopList();
  stops.add(flushTraces);
  try {
    const stack = await startStack({ dataDir: folder, want: ['postgres'], env, log });
    stops.add(() => stack.stop());
    const logFile = openLogFile(logs);
    stops.add(() => logFile.close());
    const { databaseUrl } = stack;
    // A database of this folder has no other services, so one of 0.2.0 is taken over without asking.
    await migrateWithReport(databaseUrl, log, givenUrls(env).postgres === undefined);
    if (withSandbox) {
      const logger = createLogger({ service: 'sandbox', level: logLevel, destination: logFile.stream });
      const where = { port: portBase + servicePorts.sandbox, host: '127.0.0.1' };
      const sandbox = await createSandbox({ ...where, logger, ledgerFile: sandboxJournal(folder) });
      stops.add(() => sandbox.close());
    }
    const forAll = serviceEnv({ ...options, ...insideTheProcess, databaseUrl });
    const services = createEmbeddedServices({ portBase, env: forAll, logLevel, logStream: logFile.stream });
    for (const service of services) {
      stops.add(() => service.stop());
      await service.start();
    }
    const supervisor = createSupervisor(log);
    stops.add(async () => supervisor.stop());
    supervisor.watch(stack);
    return { logs, stop: stops.run };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** A log is begun anew when it has grown past this. */
const bytesMax = 20 * 1024 * 1024;

/** Opens a log for appending; its folder is made. */
function openLogFile(file: string): { readonly stream: WriteStream; close(): Promise<void> } {
  mkdirSync(dirname(file), { recursive: true });
  const isTooLong = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > bytesMax;
  const stream = createWriteStream(file, { flags: isTooLong ? 'w' : 'a', mode: 0o600 });
  return { stream, close: () => new Promise((resolve) => stream.end(() => resolve())) };
}

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
