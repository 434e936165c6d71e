import { DefectError } from '@sluice/errors';
import type { AuthScheme, Connection, ConnectionStatus, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { onPage } from '../page';
import { sealedColumns, type SealedCredentials } from '../sealed-secrets';
import { notifyConnection } from '../webhooks/notify';
import {
  changeConnection,
  findAccountRef,
  findAuthorized,
  removeConnection,
  type AccountOfGroup,
  type ConnectionChange,
  type Removal,
} from './change-connection';
import { connections, selectConnections, toConnection } from './connection-row';
import {
  findManyCredentials,
  releaseRefreshLease,
  saveTokens,
  takeRefreshLease,
  tokenTimes,
  type ConnectionKey,
  type RefreshedTokens,
  type StoredCredentials,
  type TokenVersion,
} from './connection-tokens';
import { ensure } from './group-store';

export interface NewConnection {
  readonly projectId: string;
  readonly provider: string;
  readonly groupRef: string;
  readonly groupName?: string;
  readonly consumerRef: string;
  readonly consumerName?: string;
  readonly authScheme: AuthScheme;
  /** The account as the provider itself reported it. Absent: the connection gets a lane of its own. */
  readonly reportedAccountRef?: string;
  /** Shown, and used to address the provider where its host name carries the workspace. */
  readonly workspaceRef?: string;
  readonly providerConsumerRef?: string;
  readonly providerMetadata?: Connection['providerMetadata'];
  readonly scopes?: readonly string[];
  /** Life of the access token from now, in milliseconds; 0 or less: it has ended. Absent: not known. */
  readonly tokenExpiresInMs?: number;
  /** The builder's app that the tokens were issued to. Absent: the project's newest app of the provider. */
  readonly providerAppId?: string;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (connectionId: string) => SealedCredentials;
}

/** A connection that was made, or the id of the one there is. */
export type AuthorizedConnection = { readonly id: string; readonly isNew: boolean };

export interface ConnectionFilter {
  readonly provider?: string;
  readonly groupRef?: string;
  readonly consumerRef?: string;
  /** The one group the caller may see, besides the filter's. @default every group */
  readonly withinGroupRef?: string;
}

export type ConnectionStore = ReturnType<typeof connectionStore>;

export function connectionStore(database: Knex) {
  const find = async (projectId: string, connectionId: string): Promise<Connection | undefined> => {
    const [row] = await selectConnections(database, projectId).where('k.id', connectionId);
    return row && toConnection(row);
  };
  return {
    find,
    /** Makes the group, the consumer and the lane as far as they are new, in the same transaction. */
    create: async (connection: NewConnection): Promise<Connection> => {
      const id = newId();
      await database.transaction((transaction) => insertConnection(transaction, id, connection));
      return (await find(connection.projectId, id)) as Connection;
    },
    /**
     * Makes the group's connection to the reported account, unless it has one that was made with an authorization code: then it
     * returns only its id. Of two callers at once one makes it. Without `reportedAccountRef` it always makes one.
     */
    createUnlessAuthorized: (connection: NewConnection): Promise<AuthorizedConnection> =>
      database.transaction((transaction) => insertUnlessAuthorized(transaction, connection)),
    /** Oldest first; with a page one more than fits. */
    list: async (projectId: string, filter: ConnectionFilter = {}, page?: Page): Promise<Connection[]> => {
      const { provider, groupRef, consumerRef, withinGroupRef } = filter;
      const query = selectConnections(database, projectId).orderBy('k.id');
      if (provider !== undefined) void query.where('k.provider', provider);
      if (groupRef !== undefined) void query.where('k.group_ref', groupRef);
      if (consumerRef !== undefined) void query.where('k.consumer_ref', consumerRef);
      if (withinGroupRef !== undefined) void query.where('k.group_ref', withinGroupRef);
      return (await onPage(query, 'k.id', page)).map(toConnection);
    },
    findCredentials: async (projectId: string, connectionId: string): Promise<StoredCredentials | undefined> =>
      (await findManyCredentials(database, [{ projectId, connectionId }]))[0],
    /** The same of many, in one statement and in their order. */
    findManyCredentials: (keys: readonly ConnectionKey[]) => findManyCredentials(database, keys),
    /**
     * Changes the status only while `tokenVersion` is still the stored one: the outcome of an older token says nothing
     * about the current one. False when nothing changed.
     */
    setStatus: (change: TokenVersion & { readonly status: ConnectionStatus }): Promise<boolean> =>
      database.transaction((transaction) => setStatus(transaction, change)),
    /** Takes the right to refresh. @returns the lease; undefined when somebody has it, or the version is an older one */
    takeRefreshLease: (version: TokenVersion, leaseMs: number) => takeRefreshLease(database, version, leaseMs),
    /** Lets the next one try at once. A lease that ran out and was taken by another stays theirs. */
    releaseRefreshLease: (key: ConnectionKey, lease: string) => releaseRefreshLease(database, key, lease),
    /** Replaces the pair of this version, sets `created`, ends the lease. False: another pair is stored already. */
    saveTokens: (tokens: RefreshedTokens): Promise<boolean> =>
      database.transaction((transaction) => saveTokens(transaction, tokens)),
    /** What a builder or a customer changes. False when there is no such connection. */
    change: (change: ConnectionChange): Promise<boolean> =>
      database.transaction((transaction) => changeConnection(transaction, change)),
    /** Refuses while an installation uses it, naming one. Undefined when there is no such connection. */
    remove: (key: ConnectionKey): Promise<Removal | undefined> => removeConnection(database, key),
    /** The account as the provider reported it when the connection was made; undefined when it never did. */
    findAccountRef: (key: ConnectionKey) => findAccountRef(database, key),
    /** Id of the newest of the group's connections to the account that were made with an authorization code. */
    findAuthorized: (account: AccountOfGroup) => findAuthorized(database, account),
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
  const { projectId, groupRef, consumerRef } = connection;
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
}

/**
 * The id of the account's lane, made when it is new. Two connections to one account share a lane and its quota. An account that the
 * provider does not report is named after its connection.
 */
async function ensureLane(database: Knex, connectionId: string, connection: NewConnection): Promise<string> {
  const { projectId, provider, reportedAccountRef = `connection:${connectionId}` } = connection;
  const key = { project_id: projectId, provider, account_ref: reportedAccountRef };
  const lane = { ...key, id: newId() };
  await database('lanes').insert(lane).onConflict(Object.keys(key)).ignore();
  // A statement of its own: it sees a row that another transaction committed while the insert waited for it.
  const row = await database<{ id: string }>('lanes').where(key).select('id').first();
  if (row === undefined) {
    throw new DefectError({ code: 'service.defect', detail: 'A lane that was just made is not there.' });
  }
  return row.id;
}
