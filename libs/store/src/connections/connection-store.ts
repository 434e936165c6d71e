import { DefectError } from '@sluice/errors';
import type { AuthScheme, BoundedPage, Connection, ConnectionStatus, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { shareReads } from '../coalesce';
import { bound } from '../database';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { newId } from '../new-id';
import { boundedPage, bytesOf } from '../page';
import { sealedColumns, type SealedCredentials } from '../sealed-secrets';
import { turnHealthOfConnection } from '../health';
import { connectionEventSql, eventBindings, notifyConnection } from '../webhooks/notify';
import type { StoredRow } from '../table';
import { connections, largeColumns, selectConnections, toConnection } from './connection-row';
import {
  findManyCredentials,
  newTokens,
  noteAccount,
  releaseRefreshLease,
  saveTokens,
  takeRefreshLease,
  tokenTimes,
  withAddedMetadata,
  type ConnectionKey,
  type RefreshedTokens,
  type TokenVersion,
} from './connection-tokens';
import { noteConnected } from './connect-session-store';
import { ensure } from './group-store';

export { findGroupsNamed, type NamedGroup } from './group-store';

/** For whom a connection is made. */
export interface ConnectionOwner {
  readonly projectId: string;
  readonly provider: string;
  readonly groupRef: string;
  readonly consumerRef: string;
}

export interface NewConnection extends ConnectionOwner {
  readonly groupName?: string;
  readonly consumerName?: string;
  readonly authScheme: AuthScheme;
  /** The account as the provider itself reported it. Absent: the connection gets a lane of its own. */
  readonly reportedAccountRef?: string;
  /** The provider's immutable id of that account, beside a name that may change. Absent: the provider gives none. */
  readonly reportedAccountId?: string;
  /** Shown, and used to address the provider where its host name carries the workspace. */
  readonly workspaceRef?: string;
  readonly providerConsumerRef?: string;
  readonly providerMetadata?: Connection['providerMetadata'];
  readonly scopes?: readonly string[];
  /** Life of the access token from now, in milliseconds; 0 or less: it has ended. Absent: not known. */
  readonly tokenExpiresInMs?: number;
  /** The builder's app that the tokens were issued to. Absent: the project's newest app of the provider. */
  readonly providerAppId?: string;
  /** The connect session that makes it. */
  readonly connectSessionId?: string;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (connectionId: string) => SealedCredentials;
}

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
  /** The connect session that makes the change. */
  readonly connectSessionId?: string;
  readonly credentials?: NewCredentials;
  /** Also the new name of its account. */
  readonly workspaceRef?: string;
  readonly accountId?: string;
  readonly providerConsumerRef?: string;
  /** All of it. */
  readonly providerMetadata?: Connection['providerMetadata'] | null;
  /** Members of it, in place of those of their names; the others stay. */
  readonly addedMetadata?: NonNullable<Connection['providerMetadata']>;
}

/** The group's connections to one account, by the lane of the account. */
export interface AccountOfGroup extends Omit<ConnectionOwner, 'consumerRef'> {
  /** As the provider reports it. */
  readonly accountRef: string;
  readonly accountId?: string;
}

/** An account as the provider reported it; absent: it never did. */
export interface KnownAccount {
  /** What it is called: an id, or a name that may have been another. */
  readonly accountRef?: string;
  /** The provider's immutable id, beside a name. */
  readonly accountId?: string;
}

/** A connection that an installation uses, and the account that it belongs to. */
export interface UsedConnection
  extends
    KnownAccount,
    Pick<Connection, 'id' | 'authScheme' | 'status' | 'providerWorkspaceRef' | 'providerMetadata'> {}

/** Removed, or the id of an installation that uses it. Undefined: there is none. */
export type Removal = { readonly removed: true } | { readonly usedBy: string };

/** A connection that was made, or the id of the one there is. */
export type AuthorizedConnection = { readonly id: string; readonly isNew: boolean };

export interface ConnectionFilter extends Partial<Omit<ConnectionOwner, 'projectId'>> {
  /** The one group the caller may see, besides the filter's. @default every group */
  readonly withinGroupRef?: string;
}

export type ConnectionStore = ReturnType<typeof connectionStore>;

export function connectionStore(database: Knex) {
  const find = async (projectId: string, connectionId: string): Promise<Connection | undefined> => {
    const [row] = await selectConnections(database, projectId).where('k.id', connectionId);
    return row && toConnection(row);
  };
  const findCredentials = shareReads((keys: readonly ConnectionKey[]) =>
    guard(() => findManyCredentials(database, keys), refusedStatement),
  );
  return {
    find,
    /** Makes the group, the consumer and the lane as far as they are new, in the same transaction. */
    create: async (connection: NewConnection): Promise<Connection> => {
      const id = newId();
      await database.transaction((transaction) => insertConnection(transaction, id, connection));
      // Guarded by itself: a repetition of the whole would make another connection.
      return (await guard(() => find(connection.projectId, id), refusedStatement)) as Connection;
    },
    /**
     * Makes the group's connection to the reported account, unless it has one that was made with an authorization code: then it
     * returns only its id. Of two callers at once one makes it. Without `reportedAccountRef` it always makes one.
     */
    createUnlessAuthorized: (connection: NewConnection): Promise<AuthorizedConnection> =>
      database.transaction((transaction) => insertUnlessAuthorized(transaction, connection)),
    /** Oldest first. */
    listPage: (projectId: string, filter: ConnectionFilter, page: Page): Promise<BoundedPage<Connection>> => {
      const sizes = narrowed(selectConnections(database, projectId).clearSelect(), filter)
        .orderBy('k.id')
        .select('k.id', bytesOf(database, ...largeColumns));
      if (page.after !== undefined) void sizes.where('k.id', '>', page.after);
      return boundedPage(sizes, page, async (ids) =>
        (await selectConnections(database, projectId).whereIn('k.id', ids).orderBy('k.id')).map(toConnection),
      );
    },
    /** The last of the connections that a list with this filter returns. */
    findNewest: async (projectId: string, filter: ConnectionFilter): Promise<Connection | undefined> => {
      const [row] = await narrowed(selectConnections(database, projectId), filter).orderBy('k.id', 'desc').limit(1);
      return row && toConnection(row);
    },
    /** Of one moment in one statement. */
    findCredentials: (projectId: string, connectionId: string) => findCredentials({ projectId, connectionId }),
    /**
     * Changes the status only while `tokenVersion` is still the stored one: the outcome of an older token says nothing
     * about the current one. False when nothing changed.
     */
    setStatus: (change: TokenVersion & { readonly status: ConnectionStatus }): Promise<boolean> =>
      database.transaction((transaction) => setStatus(transaction, change)),
    /** Replaces the pair of this version, sets `created`, ends the lease. False: another pair is stored already. */
    saveTokens: (tokens: RefreshedTokens): Promise<boolean> =>
      database.transaction((transaction) => saveTokens(transaction, tokens)),
    /** What a builder or a customer changes. False when there is no such connection. */
    change: (change: ConnectionChange): Promise<boolean> =>
      database.transaction((transaction) => changeConnection(transaction, change)),
    ...bound(database, {
      takeRefreshLease,
      releaseRefreshLease,
      listUsed,
      remove: removeConnection,
      findAccount,
      findAuthorized,
    }),
  };
}

async function setStatus(
  transaction: Knex.Transaction,
  { projectId, connectionId, tokenVersion, status }: TokenVersion & { readonly status: ConnectionStatus },
): Promise<boolean> {
  const changed = await transaction('connections')
    .where({ project_id: projectId, id: connectionId, token_version: tokenVersion })
    .whereNot({ status })
    .update({ status, updated_at: transaction.fn.now() });
  if (changed === 0) return false;
  const type = status === 'bad_credentials' ? 'connection.error' : 'connection.updated';
  await notifyConnection(transaction, type, { projectId, connectionId });
  await turnHealthOfConnection(transaction, { projectId, connectionId });
  return true;
}

/** The lock is on the group's access to the account, which has no row while there is no connection. */
async function insertUnlessAuthorized(
  transaction: Knex.Transaction,
  connection: NewConnection,
): Promise<AuthorizedConnection> {
  const { projectId, provider, groupRef, reportedAccountRef: accountRef } = connection;
  if (accountRef !== undefined) {
    const access = JSON.stringify(['authorized', projectId, provider, groupRef, accountRef]);
    await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [access]);
    const known = await findAuthorized(transaction, { projectId, provider, groupRef, accountRef });
    if (known !== undefined) return { id: known, isNew: false };
  }
  const id = newId();
  await insertConnection(transaction, id, connection);
  return { id, isNew: true };
}

async function insertConnection(transaction: Knex.Transaction, id: string, connection: NewConnection): Promise<void> {
  const { projectId, groupRef, consumerRef, connectSessionId } = connection;
  await ensure(transaction, 'group', { projectId, ref: groupRef, name: connection.groupName });
  await ensure(transaction, 'consumer', { projectId, ref: consumerRef, name: connection.consumerName });
  const laneId = await ensureLane(transaction, id, connection);
  await transaction('connections').insert({
    ...connections.write({ ...connection, id, providerWorkspaceRef: connection.workspaceRef }),
    ...sealedColumns('connection', connection.seal(id)),
    ...tokenTimes(transaction, connection.tokenExpiresInMs),
    provider_app_id: connection.providerAppId,
    group_ref: groupRef,
    consumer_ref: consumerRef,
    lane_id: laneId,
    scopes: connection.scopes,
  });
  await notifyConnection(transaction, 'connection.created', { projectId, connectionId: id });
  if (connectSessionId !== undefined)
    await noteConnected(transaction, { projectId, id: connectSessionId }, { connectionId: id, isMade: true });
}

function narrowed<Query extends Knex.QueryBuilder>(query: Query, filter: ConnectionFilter): Query {
  const { provider, groupRef, consumerRef, withinGroupRef } = filter;
  if (provider !== undefined) void query.where('k.provider', provider);
  if (groupRef !== undefined) void query.where('k.group_ref', groupRef);
  if (consumerRef !== undefined) void query.where('k.consumer_ref', consumerRef);
  if (withinGroupRef !== undefined) void query.where('k.group_ref', withinGroupRef);
  return query;
}

/**
 * The id of the account's lane, made when it is new. Two connections to one account share a lane and its quota. An account that the
 * provider does not report is named after its connection.
 */
async function ensureLane(database: Knex, connectionId: string, connection: NewConnection): Promise<string> {
  const { projectId, provider, reportedAccountRef, reportedAccountId: accountId } = connection;
  const account = { project_id: projectId, provider };
  const known =
    accountId === undefined
      ? undefined
      : await database<LaneRow>('lanes')
          .where({ ...account, account_id: accountId })
          .first('id');
  if (known !== undefined) return known.id;
  // The name may still be that of an account that has another by now: then the id is the lane's.
  for (const account_ref of [reportedAccountRef ?? `connection:${connectionId}`, accountId]) {
    if (account_ref === undefined) continue;
    const key = { ...account, account_ref };
    const lane = { ...key, id: newId(), account_id: accountId };
    await database('lanes').insert(lane).onConflict(Object.keys(key)).ignore();
    // A statement of its own: it sees a row that another transaction committed while the insert waited for it.
    const row = await database<LaneRow>('lanes').where(key).first('id', 'account_id');
    if (row && [row.account_id ?? accountId, undefined].includes(accountId)) return row.id;
  }
  throw new DefectError({ code: 'service.defect', detail: 'A lane that was just made is not there.' });
}

interface LaneRow {
  readonly id: string;
  readonly account_id: string | null;
}

/**
 * New credentials raise the token version, set `created` and end a refresh that is under way: its pair finds another
 * version and is not stored. False when there is no such connection.
 */
async function changeConnection(transaction: Knex.Transaction, change: ConnectionChange): Promise<boolean> {
  const { projectId, connectionId, connectSessionId, credentials, addedMetadata: added, providerConsumerRef } = change;
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
  if (changed > 0) {
    await noteAccount(transaction, change);
    await notifyConnection(transaction, 'connection.updated', change);
    if (credentials !== undefined) await turnHealthOfConnection(transaction, change);
    if (connectSessionId !== undefined)
      await noteConnected(transaction, { projectId, id: connectSessionId }, { connectionId, isMade: false });
  }
  return changed > 0;
}

/** Our choice: nobody has more connections of one consumer to one provider in use, and each is compared with new credentials. */
const usedMax = 100;

/** The connections of this owner that installations use: those with bad credentials first, then the newest. */
async function listUsed(database: Knex, { projectId, provider, groupRef, consumerRef }: ConnectionOwner) {
  const rows = await selectConnections(database, projectId)
    .join('lanes as l', { 'l.project_id': 'k.project_id', 'l.id': 'k.lane_id' })
    .where({ 'k.provider': provider, 'k.group_ref': groupRef, 'k.consumer_ref': consumerRef })
    // By way of the integrations, because the index of installations names them before the group.
    .whereRaw(
      `exists (select from integrations n join installations i on (i.project_id, i.integration_id, i.group_ref) = (n.project_id, n.id, k.group_ref)
       where n.project_id = k.project_id and i.connection_id = k.id)`,
    )
    .orderByRaw(`k.status = 'bad_credentials' desc, k.id desc`)
    .limit(usedMax)
    .select({ account_ref: 'l.account_ref', account_id: 'l.account_id' });
  return rows.map((row): UsedConnection => {
    const { id, authScheme, status, providerWorkspaceRef, providerMetadata } = toConnection(row);
    return { id, authScheme, status, providerWorkspaceRef, providerMetadata, ...toAccount(row, id) };
  });
}

/**
 * Removes a connection that no installation uses. An installation with it locks its row meanwhile, so neither is missed. Its
 * lane stays: other connections may share it. Undefined when there is no such connection.
 */
async function removeConnection(
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

/** The account of a connection; empty when the provider never reported it. */
async function findAccount(database: Knex, key: ConnectionKey): Promise<KnownAccount> {
  const row = await withLanes(database)
    .where({ 'k.project_id': key.projectId, 'k.id': key.connectionId })
    .first<StoredRow | undefined>('l.account_ref', 'l.account_id');
  return row === undefined ? {} : toAccount(row, key.connectionId);
}

function toAccount({ account_ref: accountRef, account_id: accountId }: StoredRow, connectionId: string): KnownAccount {
  return {
    ...(typeof accountRef === 'string' && accountRef !== `connection:${connectionId}` && { accountRef }),
    ...(typeof accountId === 'string' && { accountId }),
  };
}

/** Id of the newest of the group's connections to the account that were made with an authorization code. */
async function findAuthorized(database: Knex, account: AccountOfGroup): Promise<string | undefined> {
  const schemes: readonly AuthScheme[] = ['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'];
  const row = await withLanes(database)
    .where({ 'k.project_id': account.projectId, 'k.provider': account.provider, 'k.group_ref': account.groupRef })
    .where((of) => {
      if (account.accountId === undefined) return void of.where('l.account_ref', account.accountRef);
      const unknown = { 'l.account_ref': account.accountRef, 'l.account_id': null };
      return void of.where('l.account_id', account.accountId).orWhere(unknown);
    })
    .whereIn('k.auth_scheme', schemes)
    .orderBy('k.id', 'desc')
    .first<{ id: string } | undefined>('k.id');
  return row?.id;
}
