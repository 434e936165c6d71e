import { ProviderError } from '@sluice/errors';
import type { ProviderRecord } from '@sluice/connectors';
import type { ConnectionStatus, LiveCredentials } from '@sluice/types';
import type { SearchContext } from './context';

/**
 * Asks, and notes what the answer says about the connection: `working` or `bad_credentials`, never after a 5xx or a 429.
 * Source: specification, Connection status.
 */
export async function askProvider(
  context: SearchContext,
  projectId: string,
  live: LiveCredentials,
  ask: () => Promise<ProviderRecord[]>,
): Promise<ProviderRecord[]> {
  const note = (status: ConnectionStatus) => noteStatus(context, projectId, live, status);
  try {
    const records = await ask();
    await note('working');
    return records;
  } catch (error) {
    if (error instanceof ProviderError && error.class === 'credentials') await note('bad_credentials');
    throw error;
  }
}

async function noteStatus(
  { store, logger }: SearchContext,
  projectId: string,
  { connectionId, tokenVersion, status: known }: LiveCredentials,
  status: ConnectionStatus,
): Promise<void> {
  if (status === known) return;
  try {
    await store.connections.setStatus({ projectId, connectionId, tokenVersion, status });
  } catch (error) {
    // The caller's answer does not depend on this note; the next attempt writes it.
    logger.warn({ projectId, connectionId, error }, 'connection.status-not-written');
  }
}
