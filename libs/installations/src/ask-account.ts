import type { Auth } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { ConnectionKey, Store } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import { accessOf, type ConnectionStatus, type LiveCredentials } from '@sluice/types';
import type { Installations } from './create-installations';
import { logStatus } from './log-status';

/** What asking takes; a service's context has it all. */
export interface AccountSource {
  readonly store: { readonly connections: Pick<Store['connections'], 'setStatus'> };
  readonly installations: Pick<Installations, 'liveCredentials' | 'refreshCredentials'>;
  readonly logger: Logger;
}

/**
 * One question to the account behind a connection, with its credentials as the caller has just read them. After a 401 it is asked once more, with newer credentials if there are any.
 * The reply updates the connection's status: `working` or `bad_credentials`, never after a 5xx or a 429.
 * Source: specification, Connection status.
 * @param known credentials that the caller has just read. @default read here
 * @throws NotFoundError `connection.not-found`
 * @throws ProviderError what the provider answered
 */
export async function askAccount<Answer>(
  source: AccountSource,
  key: ConnectionKey,
  ask: (auth: Auth) => Promise<Answer>,
  known?: LiveCredentials,
): Promise<Answer> {
  const { projectId, connectionId } = key;
  const live = known ?? (await source.installations.liveCredentials(projectId, connectionId));
  try {
    return await askOnce(source, key, live, ask);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const newer = await source.installations.refreshCredentials(projectId, connectionId, live.tokenVersion);
    if (newer === undefined) return await refused(source, key, live, error);
    try {
      return await askOnce(source, key, newer, ask);
    } catch (again) {
      if (!isRefused(again)) throw again;
      return await refused(source, key, newer, again);
    }
  }
}

async function askOnce<Answer>(
  source: AccountSource,
  key: ConnectionKey,
  used: LiveCredentials,
  ask: (auth: Auth) => Promise<Answer>,
): Promise<Answer> {
  const answer = await ask(accessOf(used));
  await noteStatus(source, key, used, { after: 'working' });
  return answer;
}

async function refused(
  source: AccountSource,
  key: ConnectionKey,
  used: LiveCredentials,
  error: ProviderError,
): Promise<never> {
  await noteStatus(source, key, used, { after: 'bad_credentials', reason: reasonOf(error) });
  throw error;
}

/** In words of ours: a provider's may quote a customer. */
function reasonOf({ class: failed, meta: { status } }: ProviderError): string {
  return status === undefined ? `refused: ${failed}` : `answered ${status}`;
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.class === 'credentials';
}

async function noteStatus(
  { store, logger }: AccountSource,
  key: ConnectionKey,
  used: LiveCredentials,
  change: { readonly after: ConnectionStatus; readonly reason?: string },
): Promise<void> {
  const { after: status } = change;
  if (status === used.status) return;
  try {
    const isChanged = await store.connections.setStatus({ ...key, tokenVersion: used.tokenVersion, status });
    if (isChanged) logStatus(logger, key, used, change);
  } catch (error) {
    // The caller's answer does not depend on this note; the next question writes it.
    logger.warn({ ...key, error }, 'connection.status-not-written');
  }
}
