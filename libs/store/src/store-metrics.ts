import type { Metrics } from '@sluice/telemetry';
import type { Knex } from 'knex';
import type { ConnectionStore } from './connections/connection-store';

/** What we ask of knex's pool. */
interface Pool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** Shows the pool at each reading of the metrics. A statement that waits is one that found all connections in use. */
export function watchPool(database: Knex, metrics: Metrics): void {
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
export function countingRefused(connections: ConnectionStore, metrics: Metrics): ConnectionStore {
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
