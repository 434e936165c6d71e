import type { Auth } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { ConnectionKey } from '@sluice/store';
import { accessOf, type LiveCredentials } from '@sluice/types';
import { setStatus, type StatusChange, type StatusSource } from './connection-status';
import type { Installations } from './create-installations';

/** The collaborators that a request needs; a service's context has them all. */
export interface AccountSource extends StatusSource {
  readonly installations: Pick<Installations, 'liveCredentials' | 'refreshCredentials'>;
}

/**
 * One question to the account behind a connection, with its credentials as the caller has just read them. After a 401 it is asked once more, with newer credentials if there are any.
 * The reply updates the connection's status: `working` or `bad_credentials`, never after a 5xx or a 429.
 * Source: specification, Connection status.
 * @param known credentials that the caller has just read. @default read here
 * @throws NotFoundError `connection.not-found`
 * @throws ProviderError what the provider answered; `unavailable` when it refuses the token that it has just given, for a while
 */
export async function callAccount<Answer>(
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
      await source.installations.refreshCredentials(projectId, connectionId, newer.tokenVersion, true);
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
  source: AccountSource,
  key: ConnectionKey,
  used: LiveCredentials,
  change: StatusChange,
): Promise<void> {
  if (change.after === used.status) return;
  // The caller's answer does not depend on this note; the next question writes it.
  await setStatus(source, key, used, change).catch((error: unknown) => {
    source.logger.warn({ ...key, error }, 'connection.status-not-written');
  });
}
