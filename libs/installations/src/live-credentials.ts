import { NotFoundError } from '@sluice/errors';
import type { Store } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { unsealCredentials, type SealingKeys } from './seal-credentials';

/**
 * Reads and opens the credentials of a connection. Never cached: a replaced token is in force for the next call.
 * @throws NotFoundError `connection.not-found`
 */
export async function readCredentials(
  source: { readonly store: Pick<Store, 'connections'>; readonly keys: SealingKeys },
  projectId: string,
  connectionId: string,
): Promise<LiveCredentials> {
  const stored = await source.store.connections.findCredentials(projectId, connectionId);
  if (stored === undefined) {
    throw new NotFoundError({ code: 'connection.not-found', detail: `There is no connection ${connectionId}.` });
  }
  return {
    connectionId,
    tokenVersion: stored.tokenVersion,
    provider: stored.provider,
    status: stored.status,
    ...(stored.workspaceRef === undefined ? {} : { workspaceRef: stored.workspaceRef }),
    credentials: unsealCredentials(source.keys, connectionId, stored.sealed),
  };
}
