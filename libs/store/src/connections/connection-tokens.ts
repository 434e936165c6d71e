import { type Connection, metadataValues, type ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { tellConnection } from '../webhooks/tell-events';
import type { SealedCredentials } from '../sealed-secrets';
import { column, keptRowsSql, rowBindings } from '../row-source';

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

/** What a sender needs of a connection at the moment it sends. */
export interface StoredCredentials {
  readonly provider: string;
  readonly sealed: string;
  readonly tokenVersion: number;
  readonly workspaceRef?: string;
  /** Values of the provider metadata, by name. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly status: ConnectionStatus;
  /** The access token should be refreshed before it is used. False when its end is not known. */
  readonly isExpiring: boolean;
  readonly providerAppId?: string;
  readonly scopes?: readonly string[];
}

interface CredentialsRow {
  readonly ord: string;
  readonly provider: string;
  readonly sealed_credentials: string | null;
  readonly token_version: number;
  readonly provider_workspace_ref: string | null;
  readonly provider_metadata: string | null;
  readonly status: ConnectionStatus;
  readonly is_expiring: boolean | null;
  readonly provider_app_id: string | null;
  readonly scopes: string[] | null;
}

const keyColumns = [
  column<ConnectionKey>('project_id', 'text', (key) => key.projectId),
  column<ConnectionKey>('id', 'text', (key) => key.connectionId),
];

/** Rows from before `token_refresh_at` have only the token's end. */
const findSql = `
  select i.ord, c.provider, c.sealed_credentials, c.token_version, c.provider_workspace_ref, c.provider_metadata, c.status,
         c.provider_app_id, c.scopes,
         coalesce(c.token_refresh_at, c.token_expires_at - interval '2 minutes') <= now() as is_expiring
  from ${keptRowsSql('i', keyColumns)} join connections c on c.project_id = i.project_id and c.id = i.id`;

/** What the senders of many calls need, in the order of the keys; undefined where there is no such connection. */
export async function findManyCredentials(
  database: Knex,
  keys: readonly ConnectionKey[],
): Promise<readonly (StoredCredentials | undefined)[]> {
  const bindings = rowBindings(keyColumns, keys) as Knex.Value[];
  // Every call reads it, and its text never changes: the plan is kept, one per connection of the pool.
  const result = await database
    .raw<{ rows: CredentialsRow[] }>(findSql, bindings)
    .options({ name: 'find-credentials' });
  const found: (StoredCredentials | undefined)[] = keys.map(() => undefined);
  for (const row of result.rows) found[Number(row.ord) - 1] = toCredentials(row);
  return found;
}

function toCredentials(row: CredentialsRow): StoredCredentials {
  return {
    provider: row.provider,
    sealed: row.sealed_credentials ?? '',
    tokenVersion: row.token_version,
    ...(row.provider_workspace_ref === null ? {} : { workspaceRef: row.provider_workspace_ref }),
    ...(row.provider_metadata === null ? {} : { metadata: valuesOf(row.provider_metadata) }),
    status: row.status,
    isExpiring: row.is_expiring === true,
    ...(row.provider_app_id === null ? {} : { providerAppId: row.provider_app_id }),
    ...(row.scopes === null ? {} : { scopes: row.scopes }),
  };
}

function valuesOf(metadata: string): NonNullable<StoredCredentials['metadata']> {
  return metadataValues(JSON.parse(metadata) as NonNullable<Connection['providerMetadata']>);
}
