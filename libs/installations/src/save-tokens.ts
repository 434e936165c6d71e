import { setTimeout as sleep } from 'node:timers/promises';
import type { FreshTokens } from '@sluice/connectors';
import { SluiceError } from '@sluice/errors';
import type { ConnectionKey, RefreshedTokens } from '@sluice/store';
import { type Credentials, type LiveCredentials, isSameWorkspace, type ProviderMetadataItem } from '@sluice/types';
import type { Logger } from '@sluice/telemetry';
import type { RefreshSource } from './request-tokens';
import { logStatus } from './connection-status';
import { openConnection, sealValue, type Sealed } from './live-credentials';

/** How long a fresh pair is kept while the database is away, and how often saving is tried: as for a write's outcome. */
const keepMs = 60_000;
const offerEveryMs = 250;

/**
 * Saves a fresh pair durably, before its first use and whatever else came with it. Goes on trying while the database does not answer: the old refresh
 * token may be dead.
 * @returns the credentials in force, with the address of the account: these, or newer ones that another process saved meanwhile
 * @throws DependencyError after a minute; with a provider that rotates refresh tokens the customer must then connect again
 */
export async function saveFreshTokens(
  source: RefreshSource,
  { projectId, connectionId }: ConnectionKey,
  live: LiveCredentials,
  fresh: FreshTokens,
): Promise<LiveCredentials> {
  const version = { projectId, connectionId, tokenVersion: live.tokenVersion };
  const credentials = withFresh(live.credentials, fresh);
  const workspaceRef = await renamedTo(source, version, live, fresh);
  // An id that stands beside another name is learned only where it is the known one.
  const isNamed = isSameWorkspace(workspaceRef ?? live.workspaceRef ?? '', fresh.workspaceRef ?? '');
  const account = { workspaceRef, accountId: isNamed ? fresh.accountId : undefined };
  const sealed = sealValue(source.keyring, { noun: 'connection', id: connectionId }, credentials);
  const kept = toStored({ ...fresh, ...account }, sealed);
  const isSaved = await persistently(source, version, () => ({ ...version, ...kept() }));
  if (!isSaved) return (await openConnection(source, version)).live;
  const names = { ...version, tokenVersion: live.tokenVersion + 1 };
  source.logger.info(names, 'connection.refreshed');
  logStatus(source.logger, version, live, { after: 'created' });
  logReportedAddress(source.logger, names, { ...live, workspaceRef: workspaceRef ?? live.workspaceRef }, fresh);
  if (workspaceRef !== undefined) source.logger.warn({ ...names, to: { workspaceRef } }, 'connection.address-changed');
  const address = {
    metadata: fresh.metadata === undefined ? live.metadata : { ...live.metadata, ...fresh.metadata },
    workspaceRef: workspaceRef ?? live.workspaceRef,
  };
  return { ...live, ...address, tokenVersion: names.tokenVersion, status: 'created', credentials };
}

/**
 * The name of the account where the customer has changed it: its reply names another, of the account that the connection was made for.
 * Undefined: it is the old one, or the reply does not prove that the account is the same. A database that is away does not hold up the tokens: the
 * next refresh asks again.
 */
async function renamedTo(
  { store }: RefreshSource,
  key: ConnectionKey,
  { workspaceRef: known }: LiveCredentials,
  { workspaceRef: reported, accountId }: FreshTokens,
): Promise<string | undefined> {
  if (known === undefined || reported === undefined || accountId === undefined) return undefined;
  if (isSameWorkspace(known, reported)) return undefined;
  const own = await store.connections.findAccount(key).catch(() => undefined);
  return own?.accountId === accountId ? reported : undefined;
}

/** The stored form of the pair, at the moment of each try. A token does not live longer because the database was away. */
function toStored({ expiresAt, scopes, metadata, workspaceRef, accountId }: FreshTokens, sealed: Sealed) {
  const receivedAtMs = performance.now();
  const lifeMs = expiresAt === undefined ? undefined : expiresAt.getTime() - Date.now();
  return () => ({
    sealed,
    expiresInMs: lifeMs === undefined ? undefined : lifeMs - (performance.now() - receivedAtMs),
    scopes,
    workspaceRef,
    accountId,
    addedMetadata: metadata && reportedMetadata(metadata),
  });
}

function withFresh(old: Credentials, { accessToken, refreshToken, expiresAt }: FreshTokens): Credentials {
  return {
    ...old,
    accessToken,
    refreshToken: refreshToken ?? old.refreshToken,
    expiresAt: expiresAt?.toISOString(),
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

/** Logs the address that a reply to a refresh named. One that is not followed needs a person: the account may no longer answer at the old one. */
function logReportedAddress(logger: Logger, names: object, live: LiveCredentials, fresh: FreshTokens): void {
  const { metadata: to, refusedAddress, workspaceRef: reported } = fresh;
  if (to !== undefined) logger.warn({ ...names, to }, 'connection.address-changed');
  if (refusedAddress !== undefined) logger.warn({ ...names, reason: refusedAddress }, 'connection.address-refused');
  const known = live.workspaceRef;
  if (known === undefined || reported === undefined || isSameWorkspace(known, reported)) return;
  const reason = `${live.provider} names the workspace ${reported}; the connection stays at ${known} until it connects again`;
  logger.warn({ ...names, reason }, 'connection.address-refused');
}

/** The address of an account that a provider reports, as members of the connection's metadata. @param source its token reply, or the OAuth callback */
export function reportedMetadata(
  reported: Readonly<Record<string, string>>,
  source: 'token' | 'provider' = 'token',
): Readonly<Record<string, ProviderMetadataItem>> {
  return Object.fromEntries(Object.entries(reported).map(([name, value]) => [name, { value, source }] as const));
}
