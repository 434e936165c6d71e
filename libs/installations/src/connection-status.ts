import type { ConnectionKey, Store } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import { statusEvent, type ConnectionStatus, type LiveCredentials } from '@sluice/types';

/** The outcome of using a connection's credentials. The reason is our own text, since a provider's may quote a customer. */
export interface StatusChange {
  readonly after: ConnectionStatus;
  readonly reason?: string;
}

/** Where a status is kept and reported. */
export interface StatusSource {
  readonly store: { readonly connections: Pick<Store['connections'], 'setStatus'> };
  readonly logger: Logger;
}

/** Sets the status of the credentials that were used, unless newer ones replaced them meanwhile. @param live the connection as it was before */
export async function setStatus(
  { store, logger }: StatusSource,
  key: ConnectionKey,
  live: LiveCredentials,
  change: StatusChange,
): Promise<void> {
  const { tokenVersion } = live;
  const isChanged = await store.connections.setStatus({ ...key, tokenVersion, status: change.after });
  if (isChanged) logStatus(logger, key, live, change);
}

/** Logs that a connection's credentials stopped working, or work again. @param live the connection as it was before */
export function logStatus(
  logger: Logger,
  { projectId, connectionId }: ConnectionKey,
  { groupRef, provider, status: before }: Pick<LiveCredentials, 'groupRef' | 'provider' | 'status'>,
  { after, reason }: StatusChange,
): void {
  const event = statusEvent(before, after);
  if (event !== undefined) logger.warn({ projectId, groupRef, provider, connectionId, reason }, event);
}
