import type { ConnectionKey } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import { statusEvent, type ConnectionStatus, type LiveCredentials } from '@sluice/types';

/** The line of a connection whose credentials do not work any more, or work again. @param live the connection as it was before */
export function logStatus(
  logger: Logger,
  { projectId, connectionId }: ConnectionKey,
  { groupRef, provider, status: before }: Pick<LiveCredentials, 'groupRef' | 'provider' | 'status'>,
  { after, reason }: { readonly after: ConnectionStatus; readonly reason?: string },
): void {
  const event = statusEvent(before, after);
  if (event === undefined) return;
  logger.warn({ projectId, groupRef, provider, connectionId, ...(reason !== undefined && { reason }) }, event);
}
