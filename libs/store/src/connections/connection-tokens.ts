import type { Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { tellConnection } from '../webhooks/tell-events';
import type { SealedCredentials } from '../sealed-secrets';

/** Names one connection. */
export interface ConnectionKey {
  readonly projectId: string;
  readonly connectionId: string;
}

/** The credentials of a connection as they were at one moment: each change of a token raises the version. */
export interface TokenVersion extends ConnectionKey {
  readonly tokenVersion: number;
}

/** A pair that replaces the one of `tokenVersion`. */
export interface RefreshedTokens extends TokenVersion {
  readonly sealed: SealedCredentials;
  /** Life of the access token from now, in milliseconds. Absent: the provider does not tell. */
  readonly expiresInMs?: number;
  /** Absent: as they were. */
  readonly scopes?: readonly string[];
  /** Members of the connection's metadata, in place of those of their names; the others stay. */
  readonly addedMetadata?: NonNullable<Connection['providerMetadata']>;
}

/** Columns of an access token's end. */
export interface TokenTimes {
  readonly token_expires_at: Knex.Raw | null;
  readonly token_refresh_at: Knex.Raw | null;
}

/**
 * A token is refreshed after four fifths of its life, up to a tenth of it later: tokens that were given together are not asked for
 * together. Of HubSpot's 30 minutes that leaves 3 to 6.18; the spread is ours.
 */
const refreshAfterShare = 0.8;
const refreshSpreadShare = 0.1;

/** Takes the right to refresh, for as long as the lease lasts. @returns the lease; undefined when somebody has it, or the version is an older one */
export async function takeRefreshLease(
  database: Knex,
  { projectId, connectionId, tokenVersion }: TokenVersion,
  leaseMs: number,
): Promise<string | undefined> {
  const { rows } = await database.raw<{ rows: { lease: string }[] }>(
    `update connections set refresh_lease_until = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
     where project_id = ? and id = ? and token_version = ?
       and (refresh_lease_until is null or refresh_lease_until <= clock_timestamp())
     returning refresh_lease_until::text as lease`,
    [leaseMs, projectId, connectionId, tokenVersion],
  );
  return rows[0]?.lease;
}

/** Lets the next one try at once. A lease that ran out and was taken by another stays theirs. */
export async function releaseRefreshLease(database: Knex, key: ConnectionKey, lease: string): Promise<void> {
  await database.raw(
    `update connections set refresh_lease_until = null where project_id = ? and id = ? and refresh_lease_until = ?::timestamptz`,
    [key.projectId, key.connectionId, lease],
  );
}

/** Puts a refreshed pair in place of the one it came from, and ends the lease. False: another pair stands there already, and nothing changes. */
export async function saveTokens(transaction: Knex.Transaction, tokens: RefreshedTokens): Promise<boolean> {
  const { addedMetadata } = tokens;
  const metadata = addedMetadata && (await withAddedMetadata(transaction, tokens, addedMetadata));
  const changed = await transaction('connections')
    .where({ project_id: tokens.projectId, id: tokens.connectionId, token_version: tokens.tokenVersion })
    .update({
      sealed_credentials: tokens.sealed.text,
      seal_key_id: tokens.sealed.keyId,
      token_version: tokens.tokenVersion + 1,
      status: 'created',
      refresh_lease_until: null,
      ...tokenTimes(transaction, tokens.expiresInMs),
      ...(tokens.scopes === undefined ? {} : { scopes: [...tokens.scopes] }),
      ...(metadata === undefined ? {} : { provider_metadata: JSON.stringify(metadata) }),
      updated_at: transaction.fn.now(),
    });
  if (changed > 0) await tellConnection(transaction, 'connection.refreshed', tokens);
  return changed > 0;
}

/** The moments of a token that ends this long from now, by the database's clock. */
export function tokenTimes(database: Knex, expiresInMs: number | undefined): TokenTimes {
  if (expiresInMs === undefined) return { token_expires_at: null, token_refresh_at: null };
  const inMs = (ms: number) => database.raw('now() + make_interval(secs => ?::float8 / 1000)', [ms]);
  const refreshInMs = expiresInMs * (refreshAfterShare + refreshSpreadShare * Math.random());
  return { token_expires_at: inMs(expiresInMs), token_refresh_at: inMs(refreshInMs) };
}

type Metadata = NonNullable<Connection['providerMetadata']>;

/** A connection's metadata with these members besides, in place of those of their names. Holds the row, so no change is lost. */
export async function withAddedMetadata(
  transaction: Knex.Transaction,
  { projectId, connectionId }: ConnectionKey,
  added: Metadata,
): Promise<Metadata> {
  const row = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .forUpdate()
    .first<{ provider_metadata: string | null } | undefined>('provider_metadata');
  const stored = row?.provider_metadata ?? undefined;
  return { ...(stored === undefined ? {} : (JSON.parse(stored) as Metadata)), ...added };
}
