import type { AuthScheme, Connection, ConnectionStatus, Page } from '@sluice/types';
import type { Knex } from 'knex';
import { DefectError } from '@sluice/errors';
import { newId } from '../new-id';
import { tellConnection } from '../webhooks/tell-events';
import { onPage } from '../page';
import { translated } from '../translate-errors';
import type { SealedCredentials } from '../sealed-secrets';
import {
  changeConnection,
  findAccountRef,
  findAuthorized,
  removeConnection,
  type AccountOfGroup,
  type ConnectionChange,
  type Removal,
} from './change-connection';
import { selectConnections, toConnection } from './connection-row';
import {
  releaseRefreshLease,
  saveTokens,
  takeRefreshLease,
  tokenTimes,
  type ConnectionKey,
  type RefreshedTokens,
  type TokenVersion,
  findManyCredentials,
  type StoredCredentials,
} from './connection-tokens';
import { ensureConsumer, ensureGroup } from './ensure-group';

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
  /** The one group the caller may see, besides what is asked for. @default every group */
  readonly withinGroupRef?: string;
}

export interface ConnectionStore {
  /** Makes the group, the consumer and the lane as far as they are new, in the same transaction. */
  create(connection: NewConnection): Promise<Connection>;
  /**
   * Makes the group's connection to the reported account, unless it has one that was made with an authorization code: then only its id
   * is the answer. Of two callers at once one makes it. Without `reportedAccountRef` it always makes one.
   */
  createUnlessAuthorized(connection: NewConnection): Promise<AuthorizedConnection>;
  /** Oldest first; with a page one more than fits. */
  list(projectId: string, filter?: ConnectionFilter, page?: Page): Promise<Connection[]>;
  find(projectId: string, connectionId: string): Promise<Connection | undefined>;
  findCredentials(projectId: string, connectionId: string): Promise<StoredCredentials | undefined>;
  /** The same of many, in one statement and in their order. */
  findManyCredentials(keys: readonly ConnectionKey[]): Promise<readonly (StoredCredentials | undefined)[]>;
  /**
   * Moves the status only while `tokenVersion` is still the stored one: the outcome of an older token says nothing
   * about the current one. False when nothing changed.
   */
  setStatus(change: TokenVersion & { readonly status: ConnectionStatus }): Promise<boolean>;
  /** Takes the right to refresh. @returns the lease; undefined when somebody has it, or the version is an older one */
  takeRefreshLease(version: TokenVersion, leaseMs: number): Promise<string | undefined>;
  /** Lets the next one try at once. A lease that ran out and was taken by another stays theirs. */
  releaseRefreshLease(connection: ConnectionKey, lease: string): Promise<void>;
  /** Replaces the pair of this version, sets `created`, ends the lease. False: another pair stands there already. */
  saveTokens(tokens: RefreshedTokens): Promise<boolean>;
  /** What a builder or a customer changes. False when there is no such connection. */
  change(change: ConnectionChange): Promise<boolean>;
  /** Refuses while an installation uses it, naming one. Undefined when there is no such connection. */
  remove(connection: ConnectionKey): Promise<Removal | undefined>;
  /** The account as the provider reported it when the connection was made; undefined when it never did. */
  findAccountRef(connection: ConnectionKey): Promise<string | undefined>;
  /** Id of the newest of the group's connections to the account that were made with an authorization code. */
  findAuthorized(account: AccountOfGroup): Promise<string | undefined>;
}

export function connectionStore(database: Knex): ConnectionStore {
  const find = async (projectId: string, connectionId: string) => {
    const [row] = await selectConnections(database, projectId).where('k.id', connectionId);
    return row && toConnection(row);
  };
  return translated<ConnectionStore>({
    create: async (connection) => {
      const id = newId();
      await database.transaction((transaction) => insertConnection(transaction, id, connection));
      return (await find(connection.projectId, id)) as Connection;
    },
    createUnlessAuthorized: (connection) =>
      database.transaction((transaction) => insertUnlessAuthorized(transaction, connection)),
    list: async (projectId, filter = {}, page) => {
      const query = selectConnections(database, projectId).where(toColumns(filter)).orderBy('k.id');
      if (filter.withinGroupRef !== undefined) void query.where('k.group_ref', filter.withinGroupRef);
      return (await onPage(query, 'k.id', page)).map(toConnection);
    },
    find,
    findCredentials: async (projectId, connectionId) =>
      (await findManyCredentials(database, [{ projectId, connectionId }]))[0],
    findManyCredentials: (keys) => findManyCredentials(database, keys),
    setStatus: (change) => database.transaction((transaction) => setStatus(transaction, change)),
    takeRefreshLease: (version, leaseMs) => takeRefreshLease(database, version, leaseMs),
    releaseRefreshLease: (connection, lease) => releaseRefreshLease(database, connection, lease),
    saveTokens: (tokens) => database.transaction((transaction) => saveTokens(transaction, tokens)),
    change: (change) => database.transaction((transaction) => changeConnection(transaction, change)),
    remove: (connection) => removeConnection(database, connection),
    findAccountRef: (connection) => findAccountRef(database, connection),
    findAuthorized: (account) => findAuthorized(database, account),
  });
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
  await tellConnection(transaction, type, { projectId, connectionId });
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
  await ensureGroup(transaction, connection);
  await ensureConsumer(transaction, connection);
  const accountRef = connection.reportedAccountRef ?? `connection:${id}`;
  const laneId = await ensureLane(transaction, { ...connection, accountRef });
  const sealed = connection.seal(id);
  await transaction('connections').insert({
    project_id: connection.projectId,
    id,
    provider: connection.provider,
    provider_app_id: connection.providerAppId,
    group_ref: connection.groupRef,
    consumer_ref: connection.consumerRef,
    lane_id: laneId,
    provider_workspace_ref: connection.workspaceRef,
    provider_consumer_ref: connection.providerConsumerRef,
    auth_scheme: connection.authScheme,
    sealed_credentials: sealed.text,
    seal_key_id: sealed.keyId,
    ...tokenTimes(transaction, connection.tokenExpiresInMs),
    scopes: connection.scopes && [...connection.scopes],
    provider_metadata: connection.providerMetadata && JSON.stringify(connection.providerMetadata),
  });
  await tellConnection(transaction, 'connection.created', { projectId: connection.projectId, connectionId: id });
}

function toColumns(filter: ConnectionFilter): Record<string, string> {
  const columns = {
    'k.provider': filter.provider,
    'k.group_ref': filter.groupRef,
    'k.consumer_ref': filter.consumerRef,
  };
  return Object.fromEntries(Object.entries(columns).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** One provider account as a project sees it. */
export interface LaneAccount {
  readonly projectId: string;
  readonly provider: string;
  /** The account's own reference as the provider reported it, or `connection:<id>` when it reports none. */
  readonly accountRef: string;
}

/** The id of the account's lane, made when it is new. Two connections to one account share a lane and its quota. */
async function ensureLane(database: Knex, account: LaneAccount): Promise<string> {
  const key = { project_id: account.projectId, provider: account.provider, account_ref: account.accountRef };
  await database('lanes')
    .insert({ ...key, id: newId() })
    .onConflict(['project_id', 'provider', 'account_ref'])
    .ignore();
  // A statement of its own: it sees a row that another transaction committed while the insert waited for it.
  const row = await database<{ id: string }>('lanes').where(key).select('id').first();
  if (row === undefined) {
    throw new DefectError({ code: 'service.defect', detail: 'A lane that was just made is not there.' });
  }
  return row.id;
}
