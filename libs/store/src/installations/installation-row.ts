import { statusOf } from '@sluice/types';
import type {
  Config,
  ConfigContent,
  ConnectionStatus,
  HealthStatus,
  Installation,
  OperationState,
} from '@sluice/types';
import type { Knex } from 'knex';
import {
  appOfConnectionSql,
  byKeySql,
  connectionColumns,
  ofConnectionsSql,
  toConnection,
} from '../connections/connection-row';
import { moment, plain, table, times, type StoredRow } from '../table';

const installations = table({
  id: plain('id'),
  projectId: plain('project_id'),
  integrationId: plain('integration_id'),
  createdBy: plain('created_by'),
  ...times,
});

const configs = table({
  id: plain('id'),
  revisionId: plain('revision_id'),
  createTime: moment('created_at'),
  createdBy: plain('created_by'),
});

/** What `toConfig` reads; `c` and `t` are the config and its content. */
export const configColumns = [...configs.aliased('c'), 't.content'];

export function toConfig(row: StoredRow): Config {
  return { ...configs.readAs('c', row), content: JSON.parse(row.content as string) as ConfigContent };
}

/** How many failed operations in a row make an installation unhealthy. */
const unhealthyAfter = 5;

/**
 * The newest operations of the installation `i`: ids are uuid v7, so they are the last of the index (project, installation, id). The comparison of rows
 * leaves no other: Postgres would read all operations of the project for an installation that has none.
 */
export const newestOperationsSql = (limit: string): string => `(
  select n.* from (
    select * from operations o where o.project_id = i.project_id and (o.installation_id, o.id) <= (i.id, 'g')
    order by o.installation_id desc, o.id desc limit ${limit}) n
  where n.installation_id = i.id)`;

/** How the latest operations of the installation `i` ended. */
export const latestOperationsSql = `
  lateral (
    select (array_agg(o.state order by o.created_at desc, o.id desc))[1] as latest_state,
           count(*) filter (where o.state = 'failed') = ${unhealthyAfter} as all_failed
    from ${newestOperationsSql(String(unhealthyAfter))} o
  ) latest`;

const columns = [
  ...connectionColumns,
  ...installations.aliased('i'),
  ...configColumns,
  'latest.latest_state',
  'latest.all_failed',
];

const connectionSql = byKeySql('connections', 'k', { project_id: 'i.project_id', id: 'i.connection_id' });
const configSql = byKeySql('configs', 'c', { project_id: 'i.project_id', id: 'i.config_id' });
const contentSql = byKeySql('config_contents', 't', { project_id: 'c.project_id', hash: 'c.content_hash' });
/** Joins the current config `c` and its content `t` to the installation `i`. */
export const ofConfigsSql = `cross join ${configSql} cross join ${contentSql}`;
/** Joins what besides its config decides how large an installation `i` is: its connection and the app of that. */
export const ofSizesSql = `cross join ${connectionSql} ${appOfConnectionSql}`;

/** Installations of a project as rows, to be narrowed with `i.…` conditions. */
export function selectInstallations(database: Knex, projectId: string) {
  return database('installations as i')
    .joinRaw(`cross join ${connectionSql} ${ofConnectionsSql} ${ofConfigsSql} cross join ${latestOperationsSql}`)
    .where('i.project_id', projectId)
    .select<StoredRow[]>(columns);
}

/** @param allFailed of `latest` */
export function healthStatusOf(connection: ConnectionStatus, allFailed: unknown): HealthStatus {
  return connection === 'bad_credentials' || allFailed === true ? 'unhealthy' : 'healthy';
}

export function toInstallation(row: StoredRow): Installation {
  const { id, projectId, integrationId, ...rest } = installations.readAs('i', row);
  const connection = toConnection(row);
  return {
    id,
    projectId,
    integrationId,
    group: connection.group,
    healthStatus: healthStatusOf(connection.status, row.all_failed),
    ...(row.latest_state === null ? {} : { lastOperationStatus: statusOf(row.latest_state as OperationState) }),
    connection,
    ...rest,
    config: toConfig(row),
  };
}
