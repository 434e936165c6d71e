import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessName } from '@sluice/local';
import { createKafkaMessaging } from '@sluice/messaging';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { cloneDatabase } from '@sluice/testkit';
import type { Addresses } from './addresses';
import { createProject, type BenchProject } from './customers';
import { startService, type ServiceProcess } from './processes';
import type { Provider } from './provider';

/** Our services on a database of their own, with customers who have connected the imitated provider. */
export interface System {
  readonly databaseUrl: string;
  readonly project: BenchProject;
  /** The first process of each service that was wanted. */
  readonly service: (name: ProcessName) => ServiceProcess;
  /** All processes that run now. */
  running(): readonly (readonly [name: ProcessName, process: ServiceProcess])[];
  /** One more process of a service, with settings of its own. The first of its kind becomes what `service` gives. */
  start(name: ProcessName, env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  /** Besides management, which the customers are made with. */
  readonly services: readonly ProcessName[];
  /** @default 100 */
  readonly customers?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const adminKey = 'admin-key-of-the-benchmark';

export async function startSystem(addresses: Addresses, provider: Provider, options: SystemOptions): Promise<System> {
  const database = await cloneDatabase();
  const logDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const env = { ...environment(addresses, provider, database.url), ...options.env };
  let started: (readonly [ProcessName, ServiceProcess])[] = [];
  const start = async (name: ProcessName, more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> => {
    const service = await startService(name, { ...env, ...more }, logDir);
    const kill = async (signal: NodeJS.Signals): Promise<void> => {
      started = started.filter(([, { pid }]) => pid !== service.pid);
      await service.kill(signal);
    };
    const own = { ...service, kill };
    started.push([name, own]);
    return own;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(([, service]) => service.kill('SIGKILL')));
    await database.drop();
  };
  try {
    await createTopics(addresses.kafkaBrokers);
    const management = await start('management');
    await Promise.all(options.services.map((name) => start(name)));
    const project = await createProject(`${management.url}/v1`, adminKey, options.customers ?? 100);
    return {
      databaseUrl: database.url,
      project,
      service: (name) => {
        const found = started.find(([kind]) => kind === name)?.[1];
        if (found === undefined) throw new Error(`${name} was not started`);
        return found;
      },
      running: () => started,
      start,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environment(addresses: Addresses, provider: Provider, databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: addresses.kafkaBrokers,
    REDIS_URL: addresses.redisUrl,
    SLUICE_ADMIN_KEY: adminKey,
    SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    HUBSPOT_API_URL: provider.url,
    SALESFORCE_LOGIN_URL: provider.url,
    SALESFORCE_INSTANCE_URL: provider.url,
  };
}

async function createTopics(brokers: string): Promise<void> {
  const metrics = createMetrics('bench');
  const messaging = createKafkaMessaging({
    brokers: brokers.split(','),
    clientId: 'bench',
    logger: silentLogger,
    metrics,
  });
  try {
    await messaging.createTopics();
  } finally {
    await messaging.close();
  }
}
