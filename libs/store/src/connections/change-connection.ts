import type { AuthScheme, Connection } from '@sluice/types';
import type { Knex } from 'knex';
import type { SealedCredentials } from '../sealed-secrets';
import { connectionEventSql, eventBindings, notifyConnection } from '../webhooks/notify';
import { connections } from './connection-row';
import { newTokens, withAddedMetadata, type ConnectionKey } from './connection-tokens';

/** Credentials that replace those there are. */
export interface NewCredentials {
  readonly sealed: SealedCredentials;
  /** Life of the access token from now, in milliseconds. Absent: not known. */
  readonly expiresInMs?: number;
  readonly scopes?: readonly string[];
  /** Absent: as it was. */
  readonly authScheme?: AuthScheme;
  /** Absent: as it was. */
  readonly providerAppId?: string;
}

/** What is absent stays as it is; `null` clears. */
export interface ConnectionChange extends ConnectionKey {
  readonly credentials?: NewCredentials;
  readonly workspaceRef?: string;
  readonly providerConsumerRef?: string;
  /** All of it. */
  readonly providerMetadata?: Connection['providerMetadata'] | null;
  /** Members of it, in place of those of their names; the others stay. */
  readonly addedMetadata?: NonNullable<Connection['providerMetadata']>;
}

/** The group's connections to one account, by the lane of the account. */
export interface AccountOfGroup {
  readonly projectId: string;
  readonly provider: string;
  readonly groupRef: string;
  /** As the provider reports it. */
  readonly accountRef: string;
}

/** Removed, or the id of an installation that uses it. Undefined: there is none. */
export type Removal = { readonly removed: true } | { readonly usedBy: string };

/**
 * New credentials raise the token version, set `created` and end a refresh that is under way: its pair finds another
 * version and is not stored. False when there is no such connection.
 */
export async function changeConnection(transaction: Knex.Transaction, change: ConnectionChange): Promise<boolean> {
  const { projectId, connectionId, credentials, addedMetadata: added, providerConsumerRef } = change;
  const providerMetadata = added ? await withAddedMetadata(transaction, change, added) : change.providerMetadata;
  const shown = { providerWorkspaceRef: change.workspaceRef, providerConsumerRef, providerMetadata };
  const changed = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .update({
      ...(credentials && {
        ...newTokens(transaction, credentials),
        token_version: transaction.raw('token_version + 1'),
        scopes: credentials.scopes,
        auth_scheme: credentials.authScheme,
        provider_app_id: credentials.providerAppId,
      }),
      ...connections.write(shown),
      updated_at: transaction.fn.now(),
    });
  if (changed > 0) await notifyConnection(transaction, 'connection.updated', change);
  return changed > 0;
}

/**
 * Removes a connection that no installation uses. Whoever installs with it locks its row meanwhile, so neither is missed. Its
 * lane stays: other connections may share it.
 */
export async function removeConnection(
  database: Knex,
  { projectId, connectionId }: ConnectionKey,
): Promise<Removal | undefined> {
  return await database.transaction(async (transaction) => {
    const own = transaction('connections').where({ project_id: projectId, id: connectionId });
    if ((await own.forUpdate().first('id')) === undefined) return undefined;
    const user = await transaction('installations')
      .where({ project_id: projectId, connection_id: connectionId })
      .orderBy('id')
      .first<{ id: string } | undefined>('id');
    if (user !== undefined) return { usedBy: user.id };
    await deleteConnection(transaction, { projectId, connectionId });
    return { removed: true };
  });
}

/** Deletes a connection and notifies of it. @param condition what must hold besides, of the connection `k` @param bindings of the condition */
export async function deleteConnection(
  transaction: Knex.Transaction,
  { projectId, connectionId }: ConnectionKey,
  condition = 'true',
  bindings: Record<string, Knex.Value> = {},
): Promise<void> {
  await transaction.raw(
    `with gone as (delete from connections k where k.project_id = :projectId and k.id = :connectionId and ${condition} returning k.*)
     ${connectionEventSql('gone')}`,
    { projectId, connectionId, ...bindings, ...eventBindings('connection.deleted') },
  );
}

/** Connections `k` with their lanes `l`. */
function withLanes(database: Knex) {
  return database('connections as k').join('lanes as l', { 'l.project_id': 'k.project_id', 'l.id': 'k.lane_id' });
}

export async function findAccountRef(database: Knex, key: ConnectionKey): Promise<string | undefined> {
  const row = await withLanes(database)
    .where({ 'k.project_id': key.projectId, 'k.id': key.connectionId })
    .whereNot('l.account_ref', `connection:${key.connectionId}`)
    .first<{ account_ref: string } | undefined>('l.account_ref');
  return row?.account_ref;
}

/** Id of the newest of the group's connections to the account that were made with an authorization code. */
export async function findAuthorized(database: Knex, account: AccountOfGroup): Promise<string | undefined> {
  const schemes: readonly AuthScheme[] = ['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'];
  const row = await withLanes(database)
    .where({ 'k.project_id': account.projectId, 'k.provider': account.provider, 'k.group_ref': account.groupRef })
    .where('l.account_ref', account.accountRef)
    .whereIn('k.auth_scheme', schemes)
    .orderBy('k.id', 'desc')
    .first<{ id: string } | undefined>('k.id');
  return row?.id;
}
