import { NotFoundError } from '@sluice/errors';
import type { ConnectionKey, Store } from '@sluice/store';
import type { LiveCredentials } from '@sluice/types';
import { unsealCredentials } from './seal-credentials';
import type { SealingKeys } from './sealed-value';

/** A connection's credentials with what decides on their refresh. */
export interface OpenedConnection {
  readonly live: LiveCredentials;
  /** The access token is at its end, or near it. */
  readonly isExpiring: boolean;
  readonly providerAppId?: string;
}

/**
 * Reads and opens the credentials of a connection. Never cached: a replaced token is in force for the next call.
 * @throws NotFoundError `connection.not-found`
 */
export async function openConnection(
  source: { readonly store: Pick<Store, 'connections'>; readonly keyring: SealingKeys },
  { projectId, connectionId }: ConnectionKey,
): Promise<OpenedConnection> {
  const stored = await source.store.connections.findCredentials(projectId, connectionId);
  if (stored === undefined) {
    throw new NotFoundError({ code: 'connection.not-found', detail: `There is no connection ${connectionId}.` });
  }
  const live = {
    connectionId,
    tokenVersion: stored.tokenVersion,
    provider: stored.provider,
    status: stored.status,
    ...(stored.workspaceRef === undefined ? {} : { workspaceRef: stored.workspaceRef }),
    ...(stored.metadata === undefined ? {} : { metadata: stored.metadata }),
    credentials: unsealCredentials(source.keyring, connectionId, stored.sealed),
  };
  const { isExpiring, providerAppId } = stored;
  return { live, isExpiring, ...(providerAppId === undefined ? {} : { providerAppId }) };
}
