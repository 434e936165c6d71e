import type { AuthScheme, Connection, ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import { selectConnections, toConnection } from './connection-row';
import { ensureConsumer, ensureGroup } from './ensure-group';
import { ensureLane } from './ensure-lane';
import { translated } from './translate-errors';

/** Credentials as ciphertext: this store neither makes nor opens it. */
export interface SealedCredentials {
  readonly text: string;
  /** Id of the key that sealed them, for finding what a rotation still has to seal again. */
  readonly keyId: string;
}

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
  readonly tokenExpiresAt?: Date;
  /** Called with the new id, which the ciphertext is bound to. */
  readonly seal: (connectionId: string) => SealedCredentials;
}

export interface ConnectionFilter {
  readonly provider?: string;
  readonly groupRef?: string;
  readonly consumerRef?: string;
}

/** What a sender needs of a connection at the moment it sends. */
export interface StoredCredentials {
  readonly provider: string;
  readonly sealed: string;
  readonly tokenVersion: number;
  readonly workspaceRef?: string;
  readonly status: ConnectionStatus;
}

export interface ConnectionStore {
  /** Makes the group, the consumer and the lane as far as they are new, in the same transaction. */
  create(connection: NewConnection): Promise<Connection>;
  /** Oldest first. */
  list(projectId: string, filter?: ConnectionFilter): Promise<Connection[]>;
  find(projectId: string, connectionId: string): Promise<Connection | undefined>;
  findCredentials(projectId: string, connectionId: string): Promise<StoredCredentials | undefined>;
  /**
   * Moves the status only while `tokenVersion` is still the stored one: the outcome of an older token says nothing
   * about the current one. False when nothing changed.
   */
  setStatus(change: {
    readonly projectId: string;
    readonly connectionId: string;
    readonly tokenVersion: number;
    readonly status: ConnectionStatus;
  }): Promise<boolean>;
}

interface CredentialsRow {
  project_id: string;
  id: string;
  provider: string;
  sealed_credentials: string | null;
  token_version: number;
  provider_workspace_ref: string | null;
  status: ConnectionStatus;
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
    list: async (projectId, filter = {}) => {
      const rows = await selectConnections(database, projectId).where(toColumns(filter)).orderBy('k.id');
      return rows.map(toConnection);
    },
    find,
    findCredentials: async (projectId, connectionId) => {
      const row = await database<CredentialsRow>('connections')
        .where({ project_id: projectId, id: connectionId })
        .first();
      return row && toCredentials(row);
    },
    setStatus: async ({ projectId, connectionId, tokenVersion, status }) => {
      const changed = await database('connections')
        .where({ project_id: projectId, id: connectionId, token_version: tokenVersion })
        .whereNot({ status })
        .update({ status, updated_at: database.fn.now() });
      return changed > 0;
    },
  });
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
    group_ref: connection.groupRef,
    consumer_ref: connection.consumerRef,
    lane_id: laneId,
    provider_workspace_ref: connection.workspaceRef,
    provider_consumer_ref: connection.providerConsumerRef,
    auth_scheme: connection.authScheme,
    sealed_credentials: sealed.text,
    seal_key_id: sealed.keyId,
    token_expires_at: connection.tokenExpiresAt,
    scopes: connection.scopes && [...connection.scopes],
    provider_metadata: connection.providerMetadata && JSON.stringify(connection.providerMetadata),
  });
}

function toColumns(filter: ConnectionFilter): Record<string, string> {
  const columns = {
    'k.provider': filter.provider,
    'k.group_ref': filter.groupRef,
    'k.consumer_ref': filter.consumerRef,
  };
  return Object.fromEntries(Object.entries(columns).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function toCredentials(row: CredentialsRow): StoredCredentials {
  return {
    provider: row.provider,
    sealed: row.sealed_credentials ?? '',
    tokenVersion: row.token_version,
    ...(row.provider_workspace_ref === null ? {} : { workspaceRef: row.provider_workspace_ref }),
    status: row.status,
  };
}
