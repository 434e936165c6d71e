import type { ConnectionKey, InstallationNames, LaneKey, LookupResult, Store, StoredCredentials } from '@sluice/store';
import { coalesce } from './coalesce';

/** Rows of one statement at most. */
const rowsPerStatement = 100;
/** Statements at the same time: one reads while the next one fills. */
const statementsAtOnce = 2;

/**
 * The same store, where what requests and calls of one moment ask by a key is read by one statement: installations by their names, blocks of
 * lanes, credentials. Nothing is kept, and a read begins after it was asked for: what was changed before is in force for whoever asks.
 */
export function sharingReads(store: Store): Store {
  const { connections, installationLookup, writes } = store;
  const findCredentials = together<ConnectionKey, StoredCredentials | undefined>((keys) =>
    connections.findManyCredentials(keys),
  );
  return {
    ...store,
    connections: {
      ...connections,
      findCredentials: (projectId, connectionId) => findCredentials({ projectId, connectionId }),
    },
    installationLookup: {
      ...installationLookup,
      findIds: together<InstallationNames, LookupResult>((names) => installationLookup.findManyIds(names)),
    },
    writes: { ...writes, readLaneBlock: together<LaneKey, number>((lanes) => writes.readLaneBlocks(lanes)) },
  };
}

function together<Key, Found>(read: (keys: readonly Key[]) => Promise<readonly Found[]>): (key: Key) => Promise<Found> {
  return coalesce<Key, Found>({ run: read, itemsMax: rowsPerStatement, runsMax: statementsAtOnce });
}
