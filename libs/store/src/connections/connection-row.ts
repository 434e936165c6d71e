import { shownMetadata, type Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { toProviderApp } from './provider-app-row';
import { resourceTimes } from '../resource-time';

/** A connection joined with its group, its consumer and the app it names. Never holds the sealed credentials. */
export interface ConnectionRow {
  project_id: string;
  id: string;
  provider: string;
  provider_workspace_ref: string | null;
  provider_consumer_ref: string | null;
  auth_scheme: string;
  status: string;
  provider_metadata: string | null;
  created_at: Date;
  updated_at: Date | null;
  group_ref: string;
  group_name: string;
  group_created_at: Date;
  group_updated_at: Date | null;
  consumer_ref: string;
  consumer_name: string;
  consumer_created_at: Date;
  consumer_updated_at: Date | null;
  app_id: string | null;
  app_external_ref: string | null;
  app_client_id: string;
  app_scopes: string[] | null;
  app_metadata: string | null;
  app_created_at: Date;
  app_updated_at: Date | null;
}

/** Columns of a `ConnectionRow`; `k`, `g`, `u` and `a` are the connection, its group, its consumer and its app. */
export const connectionColumns = [
  'k.project_id',
  'k.id',
  'k.provider',
  'k.provider_workspace_ref',
  'k.provider_consumer_ref',
  'k.auth_scheme',
  'k.status',
  'k.provider_metadata',
  'k.created_at',
  'k.updated_at',
  'g.group_ref',
  'g.group_name',
  'g.created_at as group_created_at',
  'g.updated_at as group_updated_at',
  'u.consumer_ref',
  'u.consumer_name',
  'u.created_at as consumer_created_at',
  'u.updated_at as consumer_updated_at',
  'a.id as app_id',
  'a.external_ref as app_external_ref',
  'a.client_id as app_client_id',
  'a.scopes as app_scopes',
  'a.metadata as app_metadata',
  'a.created_at as app_created_at',
  'a.updated_at as app_updated_at',
];

/** Connections of a project as rows, to be narrowed with `k.…` conditions. */
export function selectConnections(database: Knex, projectId: string) {
  return database('connections as k')
    .joinRaw(ofConnectionsSql)
    .where('k.project_id', projectId)
    .select<ConnectionRow[]>(connectionColumns);
}

/**
 * The row of a table that has a key. The limit makes it a look-up by that key whatever the planner believes: a table that was
 * never analyzed seems to have one row per project, and joins of several such tables became their product.
 * @param on every column of the key with what it equals
 */
export const byKeySql = (table: string, alias: string, on: Readonly<Record<string, string>>) => {
  const conditions = Object.entries(on).map(([name, value]) => `${name} = ${value}`);
  return `lateral (select * from ${table} where ${conditions.join(' and ')} limit 1) ${alias}`;
};

const groupSql = byKeySql('groups', 'g', { project_id: 'k.project_id', group_ref: 'k.group_ref' });
const consumerSql = byKeySql('consumers', 'u', { project_id: 'k.project_id', consumer_ref: 'k.consumer_ref' });
const appSql = byKeySql('provider_apps', 'a', { project_id: 'k.project_id', id: 'k.provider_app_id' });
/** Joins what a `ConnectionRow` shows besides the connection `k`. */
export const ofConnectionsSql = `cross join ${groupSql} cross join ${consumerSql} left join ${appSql} on true`;

export function toConnection(row: ConnectionRow): Connection {
  const { project_id: projectId } = row;
  return {
    id: row.id,
    projectId,
    provider: row.provider,
    ...(row.app_id === null ? {} : { providerApp: toProviderApp(appRow(row, row.app_id)) }),
    group: { groupRef: row.group_ref, groupName: row.group_name, projectId, ...groupTimes(row) },
    consumer: { consumerRef: row.consumer_ref, consumerName: row.consumer_name, projectId, ...consumerTimes(row) },
    ...(row.provider_workspace_ref === null ? {} : { providerWorkspaceRef: row.provider_workspace_ref }),
    ...(row.provider_consumer_ref === null ? {} : { providerConsumerRef: row.provider_consumer_ref }),
    ...resourceTimes(row),
    authScheme: row.auth_scheme as Connection['authScheme'],
    status: row.status as Connection['status'],
    ...metadataOf(row),
  };
}

function metadataOf({ provider_metadata: stored, provider_workspace_ref: workspaceRef }: ConnectionRow) {
  const metadata = stored === null ? undefined : (JSON.parse(stored) as NonNullable<Connection['providerMetadata']>);
  const providerMetadata = shownMetadata(metadata, workspaceRef ?? undefined);
  return providerMetadata === undefined ? {} : { providerMetadata };
}

function appRow(row: ConnectionRow, id: string) {
  return {
    project_id: row.project_id,
    id,
    provider: row.provider,
    external_ref: row.app_external_ref,
    client_id: row.app_client_id,
    scopes: row.app_scopes,
    metadata: row.app_metadata,
    created_at: row.app_created_at,
    updated_at: row.app_updated_at,
  };
}

function groupTimes(row: ConnectionRow) {
  return resourceTimes({ created_at: row.group_created_at, updated_at: row.group_updated_at });
}

function consumerTimes(row: ConnectionRow) {
  return resourceTimes({ created_at: row.consumer_created_at, updated_at: row.consumer_updated_at });
}
