import { operationsOfDayMax, statusOf, waitingCallsMax, waitingCallsOfPageMax } from '@sluice/types';
import type { InstallationError, InstallationHealth, OperationState, WaitingRecords } from '@sluice/types';
import type { Knex } from 'knex';
import { byKeySql } from '../connections/connection-row';
import { moment, momentSql, optional, plain, shownAs, table, type StoredRow } from '../table';
import { healthStatusOf, latestOperationsSql, newestOperationsSql } from '../health';

export interface HealthFilter {
  readonly installationId?: string;
  /** Only of groups that begin so. */
  readonly groupRefPrefix?: string;
  /** Only those whose connection the provider refuses. */
  readonly badCredentials?: boolean;
  /** Only these, whose calls are counted as far as a page of so many may. */
  readonly ids?: readonly string[];
}

const health = table({
  id: plain('id'),
  integrationId: plain('integration_id'),
  integrationName: plain('integration_name'),
  provider: plain('provider'),
  groupRef: plain('group_ref'),
  groupName: optional(plain('group_name')),
  lastOperationStatus: optional(shownAs('latest_state', (state: string) => statusOf(state as OperationState))),
  connection: plain<InstallationHealth['connection']>('connection'),
  waiting: plain<WaitingRecords>('waiting'),
  lastError: optional(plain<InstallationError>('last_error')),
  lastDay: optional(plain<NonNullable<InstallationHealth['lastDay']>>('last_day')),
  createTime: moment('created_at'),
});

/** Operations that are looked at for the last failure, and waiting calls of the connection that were tried. Our choice: what is older is no news. */
const latestMax = 20;

/** How installations are doing, oldest first, by one statement. Of each installation it reads so many calls and operations at most, whatever waits. */
export async function listInstallationHealth(
  database: Knex,
  projectId: string,
  filter: HealthFilter,
  { afterId = '', limit }: { readonly afterId?: string; readonly limit: number },
): Promise<InstallationHealth[]> {
  const callsMax = Math.min(waitingCallsMax, Math.ceil(waitingCallsOfPageMax / limit));
  const dayMax = filter.installationId === undefined ? Math.ceil(operationsOfDayMax / limit) : operationsOfDayMax;
  const bindings = { projectId, ...filter, afterId, limit, latestMax, callsMax, dayMax };
  const { rows } = await database.raw<{ rows: StoredRow[] }>(healthSql(filter), bindings as never);
  return rows.map((row) => {
    const { connection, ...rest } = health.read(row);
    return { ...rest, connection, healthStatus: healthStatusOf(connection.status, row['all_failed']) };
  });
}

const connectionSql = byKeySql('connections', 'k', { project_id: 'i.project_id', id: 'i.connection_id' });
const integrationSql = byKeySql('integrations', 'n', { project_id: 'i.project_id', id: 'i.integration_id' });
const groupSql = byKeySql('groups', 'g', { project_id: 'i.project_id', group_ref: 'i.group_ref' });

const calls = (condition: string, order = ''): string => `
  select c.operation_id, c.number, c.connection_id, c.members, c.deadline from calls c
  where c.project_id = :projectId and c.lane_id = i.lane_id and ${condition}${order} limit :callsMax`;

/** What stands behind an earlier write is found by its lane alone: of a lane that many connections share, the calls of the others count as read. */
const waitingCalls = `
  select w.* from (
    (${calls(`c.connection_id = i.connection_id and c.state in ('ready', 'in_doubt')`)})
    union all (${calls(`c.state = 'waiting'`)})) w`;

/** A call without `members` has all records of its operation. */
const waitingSql = `
  select coalesce(sum(coalesce(cardinality(w.members), o.records_total)) filter (where o.installation_id = i.id), 0) as records,
         count(*) >= :callsMax as is_at_least, min(w.deadline) filter (where o.installation_id = i.id) as first_deadline
  from (${waitingCalls}) w
  left join lateral (select installation_id, records_total from operations where project_id = :projectId and id = w.operation_id
    and w.connection_id = i.connection_id limit 1) o on true`;

const batchedSql = `
  select coalesce(sum(b.records), 0) as records from open_batches b
  where b.project_id = :projectId and b.installation_id = i.id and b.is_open`;

const failedOperation = `
  select o.updated_at as at, o.result as message, null as class, o.id as operation_id from ${newestOperationsSql(':latestMax')} o
  where o.records_failed > 0 or o.state = 'failed' order by o.id desc limit 1`;

const failedCall = `
  select a.finished_at, coalesce(a.error_text, a.error_class), a.error_class, c.operation_id from (
    select operation_id, number from calls where project_id = :projectId and lane_id = i.lane_id and connection_id = i.connection_id
      and state in ('ready', 'in_doubt') order by not_before desc limit :latestMax) c
  cross join lateral (
    select finished_at, error_class, error_text from attempts where project_id = :projectId
      and operation_id = c.operation_id and call_number = c.number order by fence desc limit 1) a
  where a.error_class is not null and a.finished_at is not null order by a.finished_at desc limit 1`;

const errorSql = `
  select json_strip_nulls(json_build_object('time', ${momentSql('f.at')}, 'message', coalesce(f.message, ''), 'class', f.class,
    'operationId', f.operation_id)) as last_error
  from ((${failedOperation}) union all (${failedCall})) f order by f.at desc limit 1`;

/** Ids begin with their moment: nothing that is older is read. An hour more, for clocks that differ. */
const dayFromIdSql = `(
  select left(x.ms, 8) || '-' || right(x.ms, 4)
  from (select lpad(to_hex((extract(epoch from now() - interval '25 hours') * 1000)::bigint), 12, '0') as ms) x)`;

/** Records of the operations that were accepted within the last 24 hours: ids are uuid v7, so the newest are the last of the index. */
const lastDaySql = `
  select json_strip_nulls(json_build_object('succeeded', coalesce(sum(d.records_succeeded), 0), 'failed', coalesce(sum(d.records_failed), 0),
    'isAtLeast', case when count(*) >= :dayMax then true end)) as last_day
  from ${newestOperationsSql(':dayMax', dayFromIdSql)} d where d.created_at > now() - interval '1 day'`;

/** A set that is hashed once, not a join: the installations before the first of them would each look their connection up. */
const refusedSql = `(i.connection_id in (
  select r.id from connections r where r.project_id = :projectId and r.status = 'bad_credentials')) is true`;

/** The page is cut before anything is read of its installations. */
function healthSql({ installationId, groupRefPrefix, badCredentials, ids }: HealthFilter): string {
  const narrowed = [
    installationId === undefined ? '' : 'and i.id = :installationId',
    groupRefPrefix === undefined ? '' : 'and starts_with(i.group_ref, :groupRefPrefix)',
    badCredentials === true ? `and ${refusedSql}` : '',
    ids === undefined ? '' : 'and i.id = any(:ids)',
  ].join(' ');
  // A list of all installations has no such figures: its pages are large.
  const hasDay = installationId !== undefined || ids !== undefined;
  return `
    with page as materialized (
      select i.project_id, i.id, i.integration_id, i.group_ref, i.created_at, k.id as connection_id, k.lane_id, k.provider,
             json_strip_nulls(json_build_object('id', k.id, 'authScheme', k.auth_scheme, 'status', k.status, 'consumerRef', k.consumer_ref,
               'workspaceRef', k.provider_workspace_ref, 'since', ${momentSql('coalesce(k.updated_at, k.created_at)')})) as connection
      from installations i cross join ${connectionSql}
      where i.project_id = :projectId and i.id > :afterId ${narrowed} order by i.id limit :limit)
    select i.id, i.integration_id, n.name as integration_name, i.provider, i.group_ref, g.group_name, i.created_at, i.connection, latest.latest_state, latest.all_failed,
           json_strip_nulls(json_build_object('records', w.records + b.records, 'isAtLeast', case when w.is_at_least then true end,
             'firstExpireTime', ${momentSql('w.first_deadline')})) as waiting,
           e.last_error${hasDay ? ', day.last_day' : ''}
    from page i cross join ${integrationSql} cross join ${groupSql} cross join ${latestOperationsSql}
    cross join lateral (${waitingSql}) w cross join lateral (${batchedSql}) b left join lateral (${errorSql}) e on true
    ${hasDay ? `cross join lateral (${lastDaySql}) day` : ''}
    order by i.id`;
}
