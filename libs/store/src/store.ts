import type { Logger, Metrics } from '@sluice/telemetry';
import type { Knex } from 'knex';
import { openDatabase, type DatabaseLimits } from './database';
import { nowhere, type StoreFailpoints } from './failpoints';
import { apiKeyStore, type ApiKeyStore } from './projects/api-key-store';
import { configStore, type ConfigStore } from './installations/config-store';
import { connectionStore, type ConnectionStore } from './connections/connection-store';
import { groupStore, type GroupStore } from './connections/group-store';
import { installationLookup, type InstallationLookup } from './installations/installation-lookup';
import { installationStore, type InstallationStore } from './installations/installation-store';
import { integrationStore, type IntegrationStore } from './integrations/integration-store';
import { jwtKeyStore, type JwtKeyStore } from './projects/jwt-key-store';
import { oauthStateStore, type OAuthStateStore } from './connections/oauth-state-store';
import { laneStore, type LaneStore } from './connections/lane-store';
import { operationStore, type OperationStore } from './operations/operation-store';
import { projectStore, type ProjectStore } from './projects/project-store';
import { providerAppStore, type ProviderAppStore } from './connections/provider-app-store';
import { sealedSecretStore, type SealedSecretStore } from './sealed-secrets';
import { uploadStore, type UploadStore } from './integrations/upload-store';
import { awaitDatabase, type Patience } from './await-database';
import { assertMigrated, migrate } from './migrate';
import { webhookEndpointStore, type WebhookEndpointStore } from './webhooks/endpoint-store';
import { webhookMessageStore, type WebhookMessageStore } from './webhooks/message-store';
import { createWriteStore, type WriteStore } from './writes/write-store';

export interface StoreOptions {
  /** `postgres://…`. Secret. */
  readonly url: string;
  /** Name of the service, shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Connections at most. @default 10 */
  readonly poolMax?: number;
  /** Whether hot statements keep their names, under which a connection plans them once. @default true */
  readonly prepared?: boolean;
  /** Divides the minutes and hours of the specification where they become moments. @default 1 */
  readonly timeScale?: number;
  /** How long `assertMigrated` asks a database that cannot be used for the moment, in milliseconds. @default 0 */
  readonly waitMs?: number;
  /** @default 2 s for a connection, 5 s per statement, 10 s idle in a transaction */
  readonly limits?: DatabaseLimits;
  readonly logger?: Logger;
  /** Where a test may end the process. @default nowhere */
  readonly failpoints?: StoreFailpoints;
  /** Shows the pool, and counts connections that are refused. @default nobody asks */
  readonly metrics?: Metrics;
}

/** Everything that is kept, by noun; the only SQL of the project lies behind it. */
export interface Store {
  readonly projects: ProjectStore;
  readonly apiKeys: ApiKeyStore;
  readonly jwtKeys: JwtKeyStore;
  readonly integrations: IntegrationStore;
  readonly configs: ConfigStore;
  readonly connections: ConnectionStore;
  readonly groups: GroupStore;
  readonly installations: InstallationStore;
  readonly installationLookup: InstallationLookup;
  readonly lanes: LaneStore;
  readonly operations: OperationStore;
  readonly providerApps: ProviderAppStore;
  readonly oauthStates: OAuthStateStore;
  readonly sealedSecrets: SealedSecretStore;
  readonly uploads: UploadStore;
  readonly webhookEndpoints: WebhookEndpointStore;
  readonly webhookMessages: WebhookMessageStore;
  readonly writes: WriteStore;
  /** Refuses a schema older than this code, naming the command that brings it up to date, and a database that cannot be used, naming why. */
  assertMigrated(): Promise<void>;
  /** Whether the database answers. */
  healthy(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a pool. Connects with the first statement, not before. */
export function createStore(options: StoreOptions): Store {
  const database = openDatabase(options);
  const { url, metrics, logger, waitMs = 0, timeScale = 1, failpoints = nowhere } = options;
  if (metrics) watchPool(database, metrics);
  const connections = connectionStore(database);
  return {
    projects: projectStore(database, failpoints),
    apiKeys: apiKeyStore(database),
    jwtKeys: jwtKeyStore(database),
    integrations: integrationStore(database),
    configs: configStore(database),
    connections: metrics ? countingRefused(connections, metrics) : connections,
    groups: groupStore(database),
    installations: installationStore(database, failpoints),
    installationLookup: installationLookup(database),
    lanes: laneStore(database),
    operations: operationStore(database),
    providerApps: providerAppStore(database),
    oauthStates: oauthStateStore(database),
    sealedSecrets: sealedSecretStore(database),
    uploads: uploadStore(database),
    webhookEndpoints: webhookEndpointStore(database),
    webhookMessages: webhookMessageStore(database, timeScale),
    writes: createWriteStore(database, timeScale, failpoints),
    assertMigrated: () => awaitDatabase(() => assertMigrated(database), { url, waitMs, logger }),
    healthy: async () => {
      try {
        await database.raw('select 1');
        return true;
      } catch {
        return false;
      }
    },
    close: () => database.destroy(),
  };
}

/**
 * Brings the schema of a database to the current version; returns the names of the steps it took.
 * @param patience for a database that cannot be used for the moment: @default none
 */
export async function migrateDatabase(
  url: string,
  { waitMs = 0, logger }: Partial<Omit<Patience, 'url'>> = {},
): Promise<string[]> {
  const database = openDatabase({ url, applicationName: 'sluice-migrate', poolMax: 2 });
  try {
    return await awaitDatabase(() => migrate(database), { url, waitMs, logger });
  } finally {
    await database.destroy();
  }
}

/** What we ask of knex's pool. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Shows the pool at each reading of the metrics. A statement that waits is one that found all connections in use. */
function watchPool(database: Knex, metrics: Metrics): void {
  const { pool } = database.client as { readonly pool?: Pool };
  if (pool === undefined) return;
  const connections = metrics.gauge('sluice_database_connections');
  metrics.onRead(() => {
    connections.set({ state: 'used' }, pool.numUsed());
    connections.set({ state: 'free' }, pool.numFree());
    connections.set({ state: 'waiting' }, pool.numPendingAcquires());
  });
}

/** Counts the connections that turn `bad_credentials`, whoever finds it out. */
function countingRefused(connections: ConnectionStore, metrics: Metrics): ConnectionStore {
  const refused = metrics.counter('sluice_bad_credentials_total');
  return {
    ...connections,
    setStatus: async (change) => {
      const isChanged = await connections.setStatus(change);
      if (isChanged && change.status === 'bad_credentials') refused.inc();
      return isChanged;
    },
  };
}
