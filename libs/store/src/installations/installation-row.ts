import { statusOf } from '@sluice/types';
import type { Config, ConfigContent, Installation, OperationState } from '@sluice/types';
import type { Knex } from 'knex';
import {
  appOfConnectionSql,
  byKeySql,
  connectionColumns,
  ofConnectionsSql,
  toConnection,
} from '../connections/connection-row';
import { healthStatusOf, latestOperationsSql } from '../health';
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
