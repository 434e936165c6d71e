import type { ConnectionKey, Store } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import { statusEvent, type ConnectionStatus, type LiveCredentials } from '@sluice/types';

/** What became of a connection's credentials. The reason is in words of ours: a provider's may quote a customer. */
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

/** The line of a connection whose credentials do not work any more, or work again. @param live the connection as it was before */
export function logStatus(
  logger: Logger,
  { projectId, connectionId }: ConnectionKey,
  { groupRef, provider, status: before }: Pick<LiveCredentials, 'groupRef' | 'provider' | 'status'>,
  { after, reason }: StatusChange,
): void {
  const event = statusEvent(before, after);
  if (event === undefined) return;
  logger.warn({ projectId, groupRef, provider, connectionId, ...(reason !== undefined && { reason }) }, event);
}
