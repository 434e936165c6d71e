import type { Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { resourceTimes } from './resource-time';

/** A connection joined with its group and consumer. Never holds the sealed credentials. */
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
}

/** Columns of a `ConnectionRow`; `k`, `g` and `u` are the connection, its group and its consumer. */
const columns = [
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
];

/** Connections of a project as rows, to be narrowed with `k.…` conditions. */
export function selectConnections(database: Knex, projectId: string) {
  return database('connections as k')
    .join('groups as g', { 'g.project_id': 'k.project_id', 'g.group_ref': 'k.group_ref' })
    .join('consumers as u', { 'u.project_id': 'k.project_id', 'u.consumer_ref': 'k.consumer_ref' })
    .where('k.project_id', projectId)
    .select<ConnectionRow[]>(columns);
}

export function toConnection(row: ConnectionRow): Connection {
  const { project_id: projectId } = row;
  return {
    id: row.id,
    projectId,
    provider: row.provider,
    group: { groupRef: row.group_ref, groupName: row.group_name, projectId, ...groupTimes(row) },
    consumer: { consumerRef: row.consumer_ref, consumerName: row.consumer_name, projectId, ...consumerTimes(row) },
    ...(row.provider_workspace_ref === null ? {} : { providerWorkspaceRef: row.provider_workspace_ref }),
    ...(row.provider_consumer_ref === null ? {} : { providerConsumerRef: row.provider_consumer_ref }),
    ...resourceTimes(row),
    authScheme: row.auth_scheme as Connection['authScheme'],
    status: row.status as Connection['status'],
    ...(row.provider_metadata === null
      ? {}
      : { providerMetadata: JSON.parse(row.provider_metadata) as NonNullable<Connection['providerMetadata']> }),
  };
}

function groupTimes(row: ConnectionRow) {
  return resourceTimes({ created_at: row.group_created_at, updated_at: row.group_updated_at });
}

function consumerTimes(row: ConnectionRow) {
  return resourceTimes({ created_at: row.consumer_created_at, updated_at: row.consumer_updated_at });
}
