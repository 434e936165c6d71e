import { limits, metadataBytes, type Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { inMs } from '../database';
import { column, preparedRowsSql, rowBindings } from '../row-source';
import { sealedColumns, type SealedCredentials } from '../sealed-secrets';
import type { StoredRow } from '../table';
import { turnHealthOfConnection } from '../health';
import { notifyConnection } from '../webhooks/notify';
import { accessSql, connections, credentials, sealedSql, type StoredCredentials } from './connection-row';

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
  /** Life of the access token from now, in milliseconds. Absent: the provider does not say. */
  readonly expiresInMs?: number;
  /** Absent: as they were. */
  readonly scopes?: readonly string[];
  /** Members of the connection's metadata, in place of those of their names; the others stay. */
  readonly addedMetadata?: Metadata;
  /** The account's name where it is another than before, and its immutable id. */
  readonly workspaceRef?: string;
  readonly accountId?: string;
}

type Metadata = NonNullable<Connection['providerMetadata']>;

/**
 * A token is refreshed after four fifths of its life, up to a tenth of it later, so that tokens issued together are not refreshed
 * together. Of HubSpot's 30 minutes that leaves 3 to 6. Our choice: the spread.
 */
const refreshAfterShare = 0.8;
const refreshSpreadShare = 0.1;

/** Takes the right to refresh. @returns the lease; undefined when another process has it, or the version is an older one */
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

/** Replaces the pair of a version, sets `created`, ends the lease. False: another pair is stored already. */
export async function saveTokens(transaction: Knex.Transaction, tokens: RefreshedTokens): Promise<boolean> {
  const { addedMetadata: added, scopes } = tokens;
  const providerMetadata = added && (await withAddedMetadata(transaction, tokens, added));
  const changed = await transaction('connections')
    .where({ project_id: tokens.projectId, id: tokens.connectionId, token_version: tokens.tokenVersion })
    .update({
      ...newTokens(transaction, tokens),
      token_version: tokens.tokenVersion + 1,
      scopes,
      ...connections.write({ providerMetadata, providerWorkspaceRef: tokens.workspaceRef }),
      updated_at: transaction.fn.now(),
    });
  if (changed === 0) return false;
  await noteAccount(transaction, tokens);
  await notifyConnection(transaction, 'connection.refreshed', tokens);
  await turnHealthOfConnection(transaction, tokens);
  return true;
}

/**
 * Writes into the lane of a connection what its account is known as: the id once it is reported, and the name that it has now, unless another
 * lane has that. The lane stays the same, and with it what waits there.
 */
export async function noteAccount(
  transaction: Knex.Transaction,
  { projectId, connectionId, workspaceRef, accountId: id }: AccountNote,
): Promise<void> {
  const [name, accountId] = [workspaceRef ?? null, id ?? null];
  if (name === null && accountId === null) return;
  await transaction.raw(
    `update lanes l set account_id = coalesce(l.account_id, :accountId),
       account_ref = case when :name::text is null or l.account_ref like 'connection:%' or exists (
         select from lanes o where o.project_id = l.project_id and o.provider = l.provider and o.account_ref = :name
       ) then l.account_ref else :name end
     from connections k
     where k.project_id = :projectId and k.id = :connectionId and l.project_id = k.project_id and l.id = k.lane_id
       and (l.account_id is distinct from coalesce(:accountId, l.account_id) or l.account_ref is distinct from coalesce(:name, l.account_ref))`,
    { projectId, connectionId, name, accountId },
  );
}

interface AccountNote extends ConnectionKey {
  readonly workspaceRef?: string | undefined;
  readonly accountId?: string | undefined;
}

/** Columns of credentials that have just been issued: they are usable, and no refresh is under way. */
export function newTokens(database: Knex, tokens: Pick<RefreshedTokens, 'sealed' | 'expiresInMs'>) {
  const { sealed, expiresInMs } = tokens;
  const state = { status: 'created', refresh_lease_until: null };
  return { ...sealedColumns('connection', sealed), ...state, ...tokenTimes(database, expiresInMs) };
}

/** The moments of a token that ends this long from now, by the database's clock. */
export function tokenTimes(database: Knex, expiresInMs: number | undefined) {
  if (expiresInMs === undefined) return { token_expires_at: null, token_refresh_at: null };
  const refreshInMs = expiresInMs * (refreshAfterShare + refreshSpreadShare * Math.random());
  return { token_expires_at: inMs(database, expiresInMs), token_refresh_at: inMs(database, refreshInMs) };
}

/**
 * A connection's metadata with these members besides, in place of those of their names; these alone where that is more than a connection may
 * have. Locks the row, so no change is lost.
 */
export async function withAddedMetadata(
  transaction: Knex.Transaction,
  { projectId, connectionId }: ConnectionKey,
  added: Metadata,
): Promise<Metadata> {
  const row = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .forUpdate()
    .first<StoredRow | undefined>('provider_metadata');
  // Alone: a whole connection has moments, without which it is not read.
  const stored = row?.['provider_metadata'];
  const all = { ...(typeof stored === 'string' && (JSON.parse(stored) as Metadata)), ...added };
  return metadataBytes(all) > limits.providerMetadataBytesMax ? added : all;
}

const keyColumns = [
  column<ConnectionKey>('project_id', 'text', (key) => key.projectId),
  column<ConnectionKey>('id', 'text', (key) => key.connectionId),
];

const findSql = `
  select i.ord, c.group_ref, ${accessSql('c')}, ${sealedSql('c', 'false')}
  from ${preparedRowsSql('i', keyColumns)} join connections c on c.project_id = i.project_id and c.id = i.id`;

/** What the senders of many calls need, in one statement and in the order of the keys; undefined where there is no such connection. */
export async function findManyCredentials(
  database: Knex,
  keys: readonly ConnectionKey[],
): Promise<readonly (StoredCredentials | undefined)[]> {
  const bindings = rowBindings(keyColumns, keys) as Knex.Value[];
  // Every call reads it, and its text never changes: it is prepared, once per connection of the pool.
  const { rows } = await database.raw<{ rows: StoredRow[] }>(findSql, bindings).options({ name: 'find-credentials' });
  const found = Array.from<StoredCredentials | undefined>({ length: keys.length });
  for (const row of rows) found[Number(row.ord) - 1] = credentials.read(row);
  return found;
}
