import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createServiceProcesses, type ProcessName, type ServiceProcesses } from '@sluice/local';
import { createKafkaMessaging } from '@sluice/messaging';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { cloneDatabase } from '@sluice/testkit';
import { call } from './api';
import { freePortBase } from './free-port-base';

/** Everything as processes on the real Postgres, Kafka and Redis, with one HubSpot installation. */
export interface System {
  readonly processes: ServiceProcesses;
  readonly key: string;
  readonly projectId: string;
  readonly account: string;
  /** Where writes of contacts go. */
  readonly writeUrl: string;
  readonly body: { readonly groupRef: string };
  /** What the services logged so far, parsed. */
  logLines(): LogLine[];
  operation(id: string): Promise<{ status: string; result?: string }>;
  stop(): Promise<void>;
}

/** One JSON line of a service's log. */
export interface LogLine {
  readonly time: string;
  readonly event: string;
  readonly traceparent?: string;
}

export interface SystemOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** How long the sandbox takes for a call. @default 15 */
  readonly latencyMs?: number;
}

const services: readonly ProcessName[] = ['sandbox', 'management', 'search', 'write-gateway', 'batcher', 'executor'];
const adminKey = 'admin-key-of-the-fault-tests';

export async function startSystem({ env = {}, latencyMs = 15 }: SystemOptions = {}): Promise<System> {
  const given = readProcessEnv();
  const portBase = await freePortBase();
  const database = await cloneDatabase();
  await createTopics((given['KAFKA_BROKERS'] ?? '').split(','));
  const logDir = mkdtempSync(join(tmpdir(), 'sluice-faults-'));
  const processes = createServiceProcesses({
    portBase,
    logDir,
    env: {
      PATH: given['PATH'] ?? '',
      DATABASE_URL: database.url,
      KAFKA_BROKERS: given['KAFKA_BROKERS'] ?? '',
      REDIS_URL: given['REDIS_URL'] ?? '',
      SLUICE_ADMIN_KEY: adminKey,
      SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      HUBSPOT_API_URL: `http://127.0.0.1:${portBase + 600}`,
      // A minute of the specification lasts a second, and so does the provider's late-commit window of half a minute.
      SLUICE_TIME_SCALE: '60',
      SLUICE_CALL_TIMEOUT_MS: '3000',
      ...env,
    },
  });
  try {
    for (const name of services) await processes.start(name);
    const account = `faults-${portBase}`;
    const seeded = await seed(processes, account, latencyMs);
    return {
      processes,
      account,
      ...seeded,
      logLines: () => services.flatMap((name) => readLog(join(logDir, `${name}.log`))),
      operation: (id) =>
        call(`${processes.url('management')}/v1/projects/${seeded.projectId}/operations/${id}`, {
          method: 'GET',
          key: seeded.key,
        }),
      stop: async () => {
        await processes.stop();
        await database.drop();
      },
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

async function seed(processes: ServiceProcesses, account: string, latencyMs: number) {
  const limits = { perTenSeconds: 100_000, searchesPerSecond: 0 };
  const { token } = await call<{ token: string }>(`${processes.url('sandbox')}/_sandbox/accounts`, {
    body: { name: account, provider: 'hubspot', latencyMs, limits },
  });
  const management = `${processes.url('management')}/v1`;
  const project = await call<{ id: string }>(`${management}/projects`, {
    key: adminKey,
    body: { name: account, appName: 'faults', orgId: 'tests' },
  });
  const projectUrl = `${management}/projects/${project.id}`;
  const { key } = await call<{ key: string }>(`${projectUrl}/api-keys`, {
    key: adminKey,
    body: { label: 'tests', scopes: ['full'] },
  });
  const manifest = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: contacts }] }
    write: { objects: [{ objectName: contacts }] }`;
  const [integration] = await call<{ id: string }[]>(`${projectUrl}/integrations:batch`, {
    method: 'PUT',
    key,
    body: { sourceYaml: manifest },
  });
  const connection = await call<{ id: string }>(`${projectUrl}/connections:generate`, {
    key,
    body: { groupRef: 'g1', consumerRef: 'c1', provider: 'hubspot', apiKey: token },
  });
  await call(`${projectUrl}/integrations/${integration?.id}/installations`, {
    key,
    body: { groupRef: 'g1', connectionId: connection.id, config: { content: { provider: 'hubspot' } } },
  });
  const writeUrl = `${processes.url('write-gateway')}/v1/projects/${project.id}/integrations/${integration?.id}/objects/contacts`;
  return { key, projectId: project.id, writeUrl, body: { groupRef: 'g1' } };
}

async function createTopics(brokers: string[]): Promise<void> {
  const messaging = createKafkaMessaging({
    brokers,
    clientId: 'tests',
    logger: silentLogger,
    metrics: createMetrics('tests'),
  });
  try {
    await messaging.createTopics();
  } finally {
    await messaging.close();
  }
}

function readLog(file: string): LogLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  // Warnings of Node itself are no JSON, and the last line may be half written.
  return lines.filter((line) => line.startsWith('{') && line.endsWith('}')).map((line) => JSON.parse(line) as LogLine);
}
