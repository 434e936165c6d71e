import { metadataValues, type Connection, type ConnectionStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { column, keptRowsSql, rowBindings } from '../row-source';
import type { ConnectionKey } from './connection-tokens';

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
