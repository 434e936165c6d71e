import type { ConfigContent, Installation, OperationState } from '@sluice/types';
import { statusOf } from '@sluice/types';
import type { Knex } from 'knex';
import {
  byKeySql,
  connectionColumns,
  ofConnectionsSql,
  toConnection,
  type ConnectionRow,
} from '../connections/connection-row';
import { resourceTimes } from '../resource-time';

/** An installation with its connection, its current config and its latest operations. */
export interface InstallationRow extends ConnectionRow {
  installation_id: string;
  integration_id: string;
  installed_by: string;
  installed_at: Date;
  installation_updated_at: Date | null;
  config_id: string;
  revision_id: string;
  config_created_by: string;
  config_created_at: Date;
  content: string;
  latest_state: OperationState | null;
  all_failed: boolean | null;
}

/** How many failed operations in a row make an installation unhealthy. */
const unhealthyAfter = 5;

// Ids are uuid v7, so the newest operations are the last of the index (project, installation, id).
const latestOperations = `
  lateral (
    select (array_agg(o.state order by o.created_at desc, o.id desc))[1] as latest_state,
           count(*) filter (where o.state = 'failed') = ${unhealthyAfter} as all_failed
    from (
      select state, created_at, id from operations
      where operations.project_id = i.project_id and operations.installation_id = i.id
      order by id desc limit ${unhealthyAfter}
    ) o
  ) latest`;

const columns = [
  'i.id as installation_id',
  'i.integration_id',
  'i.created_by as installed_by',
  'i.created_at as installed_at',
  'i.updated_at as installation_updated_at',
  'c.id as config_id',
  'c.revision_id',
  'c.created_by as config_created_by',
  'c.created_at as config_created_at',
  't.content',
  'latest.latest_state',
  'latest.all_failed',
];

const connectionSql = byKeySql('connections', 'k', { project_id: 'i.project_id', id: 'i.connection_id' });
const configSql = byKeySql('configs', 'c', { project_id: 'i.project_id', id: 'i.config_id' });
const contentSql = byKeySql('config_contents', 't', { project_id: 'c.project_id', hash: 'c.content_hash' });
/** Joins the current config `c` and its content `t` to the installation `i`. */
export const ofConfigsSql = `cross join ${configSql} cross join ${contentSql}`;

/** Installations of a project as rows, to be narrowed with `i.…` conditions. */
export function selectInstallations(database: Knex, projectId: string) {
  return database('installations as i')
    .joinRaw(`cross join ${connectionSql} ${ofConnectionsSql} ${ofConfigsSql} cross join ${latestOperations}`)
    .where('i.project_id', projectId)
    .select<InstallationRow[]>([...connectionColumns, ...columns]);
}

export function toInstallation(row: InstallationRow): Installation {
  const connection = toConnection(row);
  return {
    id: row.installation_id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    group: connection.group,
    healthStatus: row.status === 'bad_credentials' || row.all_failed === true ? 'unhealthy' : 'healthy',
    ...(row.latest_state === null ? {} : { lastOperationStatus: statusOf(row.latest_state) }),
    connection,
    createdBy: row.installed_by,
    ...resourceTimes({ created_at: row.installed_at, updated_at: row.installation_updated_at }),
    config: {
      id: row.config_id,
      revisionId: row.revision_id,
      createTime: row.config_created_at.toISOString(),
      createdBy: row.config_created_by,
      content: JSON.parse(row.content) as ConfigContent,
    },
  };
}
