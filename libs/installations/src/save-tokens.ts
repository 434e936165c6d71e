import type { FreshTokens } from '@sluice/connectors';
import { SluiceError } from '@sluice/errors';
import type { ConnectionKey, RefreshedTokens } from '@sluice/store';
import type { Credentials, LiveCredentials } from '@sluice/types';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RefreshSource } from './ask-for-tokens';
import { openConnection } from './live-credentials';
import { sealCredentials } from './seal-credentials';

/** How long a fresh pair is kept while the database is away, and how often it is offered: as long as a write's outcome. */
const keepMs = 60_000;
const offerEveryMs = 250;

/**
 * Saves a fresh pair durably, before anybody uses it. Goes on trying while the database does not answer: the old refresh
 * token may be dead.
 * @returns the credentials in force: these, or newer ones that somebody else saved meanwhile
 * @throws DependencyError after a minute; with a provider that rotates refresh tokens the customer must then connect again
 */
export async function saveFreshTokens(
  source: RefreshSource,
  { projectId, connectionId }: ConnectionKey,
  live: LiveCredentials,
  fresh: FreshTokens,
): Promise<LiveCredentials> {
  const { tokenVersion } = live;
  const credentials = withFresh(live.credentials, fresh);
  const { expiresAt, scopes } = fresh;
  const receivedAtMs = performance.now();
  const lifeMs = expiresAt === undefined ? undefined : expiresAt.getTime() - Date.now();
  const sealed = sealCredentials(source.keyring, connectionId, credentials);
  const isSaved = await persistently(source, { projectId, connectionId, tokenVersion }, () => {
    const waitedMs = performance.now() - receivedAtMs;
    const times = lifeMs === undefined ? {} : { expiresInMs: lifeMs - waitedMs };
    return { projectId, connectionId, tokenVersion, sealed, ...times, ...(scopes === undefined ? {} : { scopes }) };
  });
  if (!isSaved) return (await openConnection(source, { projectId, connectionId })).live;
  source.logger.info({ projectId, connectionId, tokenVersion: tokenVersion + 1 }, 'connection.refreshed');
  return { ...live, tokenVersion: tokenVersion + 1, status: 'created', credentials };
}

function withFresh(old: Credentials, { accessToken, refreshToken, expiresAt }: FreshTokens): Credentials {
  const { expiresAt: _ended, ...kept } = old;
  return {
    ...kept,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
  };
}

async function persistently(
  { store, logger }: RefreshSource,
  names: object,
  tokens: () => RefreshedTokens,
): Promise<boolean> {
  const startedAtMs = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.connections.saveTokens(tokens());
    } catch (error) {
      const isWorthIt = error instanceof SluiceError && error.retry === 'backoff';
      const isOver = performance.now() - startedAtMs > keepMs;
      if (!isWorthIt || isOver) {
        logger.error({ ...names, tries, error }, 'connection.tokens-lost');
        throw error;
      }
      if (tries === 1) logger.error({ ...names, error }, 'connection.tokens-not-saved');
      await sleep(offerEveryMs);
    }
  }
}
