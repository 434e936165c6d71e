import type { AuthScheme, Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { eventBindings, tellConnection, tellConnectionSql } from '../webhooks/tell-events';
import { withAddedMetadata, tokenTimes, type ConnectionKey } from './connection-tokens';
import type { SealedCredentials } from '../sealed-secrets';

/** Credentials that take the place of those there are. */
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
  const { projectId, connectionId, credentials, addedMetadata } = change;
  const providerMetadata =
    addedMetadata === undefined ? change.providerMetadata : await withAddedMetadata(transaction, change, addedMetadata);
  const changed = await transaction('connections')
    .where({ project_id: projectId, id: connectionId })
    .update({
      ...(credentials === undefined ? {} : credentialColumns(transaction, credentials)),
      ...(change.workspaceRef === undefined ? {} : { provider_workspace_ref: change.workspaceRef }),
      ...(change.providerConsumerRef === undefined ? {} : { provider_consumer_ref: change.providerConsumerRef }),
      ...(providerMetadata === undefined
        ? {}
        : { provider_metadata: providerMetadata && JSON.stringify(providerMetadata) }),
      updated_at: transaction.fn.now(),
    });
  if (changed > 0) await tellConnection(transaction, 'connection.updated', change);
  return changed > 0;
}

function credentialColumns(database: Knex, credentials: NewCredentials) {
  const { sealed, expiresInMs, scopes, authScheme, providerAppId } = credentials;
  return {
    sealed_credentials: sealed.text,
    seal_key_id: sealed.keyId,
    token_version: database.raw('token_version + 1'),
    status: 'created',
    refresh_lease_until: null,
    ...tokenTimes(database, expiresInMs),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(authScheme === undefined ? {} : { auth_scheme: authScheme }),
    ...(providerAppId === undefined ? {} : { provider_app_id: providerAppId }),
  };
}

/**
 * Removes a connection that no installation uses. Whoever installs with it holds its row meanwhile, so neither is missed. Its
 * lane stays: other connections may share it.
 */
export async function removeConnection(
  database: Knex,
  { projectId, connectionId }: ConnectionKey,
): Promise<Removal | undefined> {
  return await database.transaction(async (transaction) => {
    const own = () => transaction('connections').where({ project_id: projectId, id: connectionId });
    if ((await own().forUpdate().first('id')) === undefined) return undefined;
    const user = await transaction('installations')
      .where({ project_id: projectId, connection_id: connectionId })
      .orderBy('id')
      .first<{ id: string } | undefined>('id');
    if (user !== undefined) return { usedBy: user.id };
    await deleteConnection(transaction, { projectId, connectionId });
    return { removed: true };
  });
}

/** Deletes a connection and tells of it. @param condition what must hold besides, of the connection `k` @param bindings of the condition */
export async function deleteConnection(
  transaction: Knex.Transaction,
  { projectId, connectionId }: ConnectionKey,
  condition = 'true',
  bindings: Record<string, Knex.Value> = {},
): Promise<void> {
  await transaction.raw(
    `with gone as (delete from connections k where k.project_id = :projectId and k.id = :connectionId and ${condition} returning k.*)
     ${tellConnectionSql('gone')}`,
    { projectId, connectionId, ...bindings, ...eventBindings('connection.deleted') },
  );
}

/** The account of a connection as the provider reported it; undefined when it never did. */
export async function findAccountRef(database: Knex, key: ConnectionKey): Promise<string | undefined> {
  const row = await database('connections as k')
    .join('lanes as l', { 'l.project_id': 'k.project_id', 'l.id': 'k.lane_id' })
    .where({ 'k.project_id': key.projectId, 'k.id': key.connectionId })
    .whereNot('l.account_ref', `connection:${key.connectionId}`)
    .first<{ account_ref: string } | undefined>('l.account_ref');
  return row?.account_ref;
}

/** The newest of the group's connections to the account that were made with an authorization code. */
export async function findAuthorized(database: Knex, account: AccountOfGroup): Promise<string | undefined> {
  const schemes: readonly AuthScheme[] = ['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'];
  const row = await database('connections as k')
    .join('lanes as l', { 'l.project_id': 'k.project_id', 'l.id': 'k.lane_id' })
    .where({ 'k.project_id': account.projectId, 'k.provider': account.provider, 'k.group_ref': account.groupRef })
    .where('l.account_ref', account.accountRef)
    .whereIn('k.auth_scheme', schemes)
    .orderBy('k.id', 'desc')
    .first<{ id: string } | undefined>('k.id');
  return row?.id;
}
