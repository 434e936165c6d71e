import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createServiceProcesses, servicePorts, type ProcessName, type ServiceProcesses } from '@sluice/local';
import { createKafkaMessaging } from '@sluice/messaging';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { cloneDatabase } from '@sluice/testkit';
import type { Addresses } from './addresses';
import { freePortBase } from './free-port-base';

/** The services and the sandbox as processes on the real Postgres, Kafka and Redis. */
export interface Stack extends Addresses {
  /** Where each process writes its log: `<name>.log`. */
  readonly logDir: string;
  /** The stack's own database, for what no API makes. */
  readonly databaseUrl: string;
  /** Origin of a process. */
  url(name: ProcessName): string;
  /** What the services logged so far, parsed. */
  logLines(): LogLine[];
}

/** One that its suite starts for itself, because it kills, slows or configures a process. The others share one: `sharedStack`. */
export interface OwnStack extends Stack {
  readonly processes: ServiceProcesses;
  stop(): Promise<void>;
}

/** One JSON line of a service's log. */
export interface LogLine {
  readonly time: string;
  readonly event: string;
  readonly traceparent?: string;
}

export interface StackOptions {
  /** Added to, or in place of, what every process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * How much faster the specification's minutes and hours pass.
   * @default 60: a minute lasts a second, and so does the provider's late-commit window of half a minute
   */
  readonly timeScale?: number;
  /** Which processes run. @default all */
  readonly only?: readonly ProcessName[];
  /** Where provider calls go. @default the sandbox */
  readonly providerUrl?: (sandboxUrl: string) => Promise<string>;
  /** Where calls go to providers that are files. @default the addresses of the files */
  readonly declared?: 'sandbox';
  /** Environment of single processes, besides what every process gets. */
  readonly envOf?: Readonly<Partial<Record<ProcessName, Readonly<Record<string, string>>>>>;
  /** Called with each process as soon as there is one. */
  readonly onSpawn?: (name: ProcessName, pid: number) => void;
}

const services: readonly ProcessName[] = ['sandbox', 'management', 'search', 'write-gateway', 'batcher', 'executor'];
export const adminKey = 'admin-key-of-the-black-box-tests';

export async function startStack(options: StackOptions = {}): Promise<OwnStack> {
  const { only: running = services } = options;
  const portBase = await freePortBase();
  const database = await cloneDatabase();
  await createTopics((readProcessEnv()['KAFKA_BROKERS'] ?? '').split(','), options.env?.['KAFKA_TOPIC_PREFIX']);
  const logDir = mkdtempSync(join(tmpdir(), 'sluice-black-box-'));
  const sandboxUrl = `http://127.0.0.1:${portBase + 600}`;
  const providerUrl = (await options.providerUrl?.(sandboxUrl)) ?? sandboxUrl;
  const env = processEnvironment(options, { databaseUrl: database.url, providerUrl });
  const { onSpawn, envOf = {} } = options;
  const processes = createServiceProcesses({ portBase, logDir, env, ...(onSpawn && { onSpawn }) });
  const stop = async (): Promise<void> => {
    await processes.stop();
    await database.drop();
  };
  try {
    await Promise.all(running.map((name) => processes.start(name, envOf[name])));
  } catch (error) {
    await stop();
    throw error;
  }
  const stack = stackAt({ portBase, logDir, databaseUrl: database.url });
  return { ...stack, processes, stop };
}

/** The addresses of a stack. */
export type StackAddress = Pick<Stack, 'portBase' | 'logDir' | 'databaseUrl'>;

/** The stack that runs there, whoever started it. */
export function stackAt(address: StackAddress): Stack {
  const url = (name: ProcessName): string => `http://127.0.0.1:${address.portBase + servicePorts[name]}`;
  return {
    ...address,
    adminKey,
    url,
    baseUrl: `${url('management')}/v1`,
    searchUrl: `${url('search')}/v1`,
    writeUrl: `${url('write-gateway')}/v1`,
    sandboxUrl: url('sandbox'),
    logLines: () =>
      readdirSync(address.logDir)
        .filter((file) => file.endsWith('.log'))
        .flatMap((file) => readLog(join(address.logDir, file))),
  };
}

/** What every process of a stack gets. */
export function processEnvironment(
  { env, timeScale = 60, declared }: StackOptions,
  { databaseUrl, providerUrl }: { databaseUrl: string; providerUrl: string },
): Record<string, string> {
  const given = readProcessEnv();
  return {
    PATH: given['PATH'] ?? '',
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: given['KAFKA_BROKERS'] ?? '',
    REDIS_URL: given['REDIS_URL'] ?? '',
    SLUICE_ADMIN_KEY: adminKey,
    SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    HUBSPOT_API_URL: providerUrl,
    SALESFORCE_LOGIN_URL: providerUrl,
    SALESFORCE_INSTANCE_URL: providerUrl,
    ...(declared && { SLUICE_PROVIDERS_URL: `${providerUrl}/rest` }),
    SLUICE_TIME_SCALE: String(timeScale),
    SLUICE_CALL_TIMEOUT_MS: '3000',
    // The tests' own connections are idle when they end; those that restart what is under load ask for more.
    SLUICE_IDLE_GRACE_MS: '250',
    ...env,
  };
}

/** Makes the topics and waits until they are served. */
export async function createTopics(brokers: string[], prefix = ''): Promise<void> {
  const metrics = createMetrics('tests');
  const messaging = createKafkaMessaging({ brokers, prefix, clientId: 'tests', logger: silentLogger, metrics });
  try {
    await messaging.createTopics();
  } finally {
    await messaging.close();
  }
}

/** The JSON lines of one process's log. */
export function readLog(file: string): LogLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  // Warnings of Node itself are no JSON, and the last line may be half written.
  return lines.filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line) as LogLine);
}
