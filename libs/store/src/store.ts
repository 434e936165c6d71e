import type { Fault, Metrics } from '@sluice/telemetry';
import type { Knex } from 'knex';
import { connectSessionStore } from './connections/connect-session-store';
import { disconnectSession } from './connections/disconnect-session';
import { connectionStore, type ConnectionStore } from './connections/connection-store';
import { groupStore } from './connections/group-store';
import { laneStore } from './connections/lane-store';
import { oauthStateStore } from './connections/oauth-state-store';
import { providerAppStore } from './connections/provider-app-store';
import { awaitDatabase, bound, openDatabase, usualLimits, type DatabaseOptions, type Patience } from './database';
import { nowhere, type StoreFailpoints } from './failpoints';
import { guardedByNoun } from './guard';
import { configStore } from './installations/config-store';
import { installationLookup } from './installations/installation-lookup';
import { installationStore } from './installations/installation-store';
import { integrationStore } from './integrations/integration-store';
import { uploadStore } from './integrations/upload-store';
import { minuteStore } from './minutes';
import { assertMigrated, healthOf, migrate } from './migrate';
import { operationStore } from './operations/operation-store';
import { apiKeyStore } from './projects/api-key-store';
import { jwtKeyStore } from './projects/jwt-key-store';
import { personStore } from './projects/person-store';
import { projectStore } from './projects/project-store';
import { sealedSecretStore } from './sealed-secrets';
import { webhookEndpointStore } from './webhooks/endpoint-store';
import { webhookMessageStore } from './webhooks/message-store';
import { createWriteStore, type WriteStore } from './writes/write-store';

export interface StoreOptions extends DatabaseOptions {
  /** Divides the minutes and hours of the specification where they become moments. @default 1 */
  readonly timeScale?: number;
  /** How long `assertMigrated` retries a database that cannot be used for the moment, in milliseconds. @default 0 */
  readonly waitMs?: number;
  /** Where a test may end the process. @default nowhere */
  readonly failpoints?: StoreFailpoints;
  /** Shows the pool, and counts connections that are refused. @default nothing is shown */
  readonly metrics?: Metrics;
}

/** What management reads and writes, by noun. */
function storesByNoun(database: Knex, timeScale: number, failpoints: StoreFailpoints) {
  return {
    projects: projectStore(database, failpoints),
    apiKeys: apiKeyStore(database),
    jwtKeys: jwtKeyStore(database),
    integrations: integrationStore(database),
    configs: configStore(database),
    connections: connectionStore(database),
    connectSessions: { ...connectSessionStore(database), ...bound(database, { disconnect: disconnectSession }) },
    groups: groupStore(database),
    installations: installationStore(database, failpoints),
    installationLookup: installationLookup(database),
    lanes: laneStore(database),
    minutes: minuteStore(database),
    operations: operationStore(database),
    people: personStore(database),
    providerApps: providerAppStore(database),
    oauthStates: oauthStateStore(database),
    sealedSecrets: sealedSecretStore(database),
    uploads: uploadStore(database),
    webhookEndpoints: webhookEndpointStore(database),
    webhookMessages: webhookMessageStore(database, timeScale),
  };
}

/** Everything that is stored, by noun; the only SQL of the project lies behind it. */
export interface Store extends ReturnType<typeof storesByNoun> {
  readonly writes: WriteStore;
  /** Refuses a schema older than this code, naming the command that brings it up to date, and a database that cannot be used, naming why. */
  assertMigrated(): Promise<void>;
  /** What keeps the database from taking writes, with the schema that this code needs. Undefined: nothing. */
  readonly health: () => Promise<Fault | undefined>;
  close(): Promise<void>;
}

/** Opens a pool. Connects with the first statement, not before. */
export function createStore(options: StoreOptions): Store {
  const database = openDatabase(options);
  const { url, metrics, logger, waitMs = 0, timeScale = 1, failpoints = nowhere } = options;
  if (metrics) watchPool(database, metrics);
  const stores = guardedByNoun(storesByNoun(database, timeScale, failpoints));
  return {
    ...stores,
    connections: metrics ? countingRefused(stores.connections, metrics) : stores.connections,
    writes: createWriteStore(database, timeScale, failpoints),
    assertMigrated: () => awaitDatabase(() => assertMigrated(database), { url, waitMs, logger }),
    health: () => healthOf(database),
    close: () => database.destroy(),
  };
}

interface MigrateOptions extends Partial<Omit<Patience, 'url'>>, Pick<DatabaseOptions, 'tls'> {
  readonly from02?: boolean;
}

/**
 * Brings the schema of a database to the current version; returns the names of the steps it took.
 * @param options `waitMs`: patience with a database that cannot be used for the moment, @default none. `from02`: a database of 0.2.0 is
 * taken over first, @default it is refused
 */
export async function migrateDatabase(
  url: string,
  { waitMs = 0, logger, tls, from02 = false }: MigrateOptions = {},
): Promise<string[]> {
  const limits = { ...usualLimits, silentMs: 0 };
  const database = openDatabase({ url, tls, applicationName: 'sluice-migrate', poolMax: 2, limits });
  try {
    return await awaitDatabase(() => migrate(database, from02), { url, waitMs, logger });
  } finally {
    await database.destroy();
  }
}

/** What we use of knex's pool. */
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

/** Counts the connections that become `bad_credentials`, in every process. */
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
