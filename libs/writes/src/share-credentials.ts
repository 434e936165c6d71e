import type { ConnectionKey, Store, StoredCredentials } from '@sluice/store';
import { coalesce } from './coalesce';

/** Connections of one statement at most. */
const connectionsPerStatement = 64;

/** The same store, where the credentials of calls that leave at the same time are read by one statement. Nothing is kept. */
export function sharingCredentials(store: Store): Store {
  const { connections } = store;
  const find = coalesce<ConnectionKey, StoredCredentials | undefined>({
    run: (keys) => connections.findManyCredentials(keys),
    itemsMax: connectionsPerStatement,
    runsMax: 2,
  });
  return {
    ...store,
    connections: {
      ...connections,
      findCredentials: (projectId, connectionId) => find({ projectId, connectionId }),
    },
  };
}
