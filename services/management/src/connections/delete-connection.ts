import { ConflictError } from '@sluice/errors';
import type { ConnectionKey } from '@sluice/store';
import type { ManagementContext } from '../context';
import { connectionNotFound, getConnectionOfPath } from './get-connection';
import type { Caller } from '@sluice/types';

/**
 * Forgets a connection and its credentials. At the provider nothing changes: the customer takes the access back there.
 * @throws ConflictError `connection.in-use`, naming an installation that uses it
 */
export async function deleteConnection(
  context: ManagementContext,
  key: ConnectionKey & { readonly caller: Caller },
): Promise<void> {
  const { store, logger } = context;
  await getConnectionOfPath(context, key.projectId, key.connectionId, key.caller);
  const removal = await store.connections.remove(key);
  if (removal === undefined) throw connectionNotFound();
  if ('usedBy' in removal) {
    throw new ConflictError({
      code: 'connection.in-use',
      detail: `The installation ${removal.usedBy} uses the connection ${key.connectionId}.`,
    });
  }
  logger.info({ projectId: key.projectId, connectionId: key.connectionId }, 'connection.deleted');
}
