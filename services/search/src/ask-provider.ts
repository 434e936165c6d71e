import { ProviderError } from '@sluice/errors';
import type { ProviderRecord } from '@sluice/connectors';
import type { ConnectionStatus, LiveCredentials } from '@sluice/types';
import type { SearchContext } from './context';

/** One question to the provider, with these credentials. */
type Ask = (used: LiveCredentials) => Promise<ProviderRecord[]>;

/**
 * Asks; after a 401 once more, with newer credentials if there are any. Notes what the answer says about the connection:
 * `working` or `bad_credentials`, never after a 5xx or a 429.
 * Source: specification, Connection status.
 */
export async function askProvider(
  context: SearchContext,
  projectId: string,
  live: LiveCredentials,
  ask: Ask,
): Promise<ProviderRecord[]> {
  try {
    return await askOnce(context, projectId, live, ask);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const newer = await context.installations.refreshCredentials(projectId, live.connectionId, live.tokenVersion);
    if (newer === undefined) return await refused(context, projectId, live, error);
    try {
      return await askOnce(context, projectId, newer, ask);
    } catch (again) {
      if (!isRefused(again)) throw again;
      return await refused(context, projectId, newer, again);
    }
  }
}

async function askOnce(
  context: SearchContext,
  projectId: string,
  used: LiveCredentials,
  ask: Ask,
): Promise<ProviderRecord[]> {
  const records = await ask(used);
  await noteStatus(context, projectId, used, 'working');
  return records;
}

async function refused(
  context: SearchContext,
  projectId: string,
  used: LiveCredentials,
  error: ProviderError,
): Promise<never> {
  await noteStatus(context, projectId, used, 'bad_credentials');
  throw error;
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.class === 'credentials';
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
