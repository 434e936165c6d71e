import type { ConnectionStatus, HealthStatus } from '@sluice/types';
import type { Knex } from 'knex';
import { byKeySql } from './connections/connection-row';
import { column, rowSource } from './row-source';
import { eventBindings, installationEventSql, isWatchedSql } from './webhooks/notify';

/** How many failed operations in a row make an installation unhealthy. One that has not ended neither fails nor heals: it is passed over. */
const unhealthyAfter = 5;
/** Newest operations among which those that ended are looked for. Our choice: of an installation with more of them open, nothing is known yet. */
const judgedMax = 10;

/**
 * The newest operations of the installation `i`: ids are uuid v7, so they are the last of the index (project, installation, id). The comparison of rows
 * leaves no other: Postgres would read all operations of the project for an installation that has none.
 * @param limit SQL of how many. @param fromId SQL of the least id.
 */
export const newestOperationsSql = (limit: string, fromId?: string): string => `(
  select n.* from (
    select * from operations o where o.project_id = i.project_id and (o.installation_id, o.id) <= (i.id, 'g')
      ${fromId === undefined ? '' : `and (o.installation_id, o.id) >= (i.id, ${fromId})`}
    order by o.installation_id desc, o.id desc limit ${limit}) n
  where n.installation_id = i.id)`;

/** How the latest operations of the installation `i` ended. `ended`: how many that are not older did. */
export const latestOperationsSql = `
  lateral (
    select (array_agg(o.state order by o.created_at desc, o.id desc))[1] as latest_state,
           count(*) filter (where o.state = 'failed' and o.ended <= ${unhealthyAfter}) = ${unhealthyAfter} as all_failed,
           min(o.id) filter (where o.state = 'failed' and o.ended <= ${unhealthyAfter}) as first_failed_id,
           count(*) < ${unhealthyAfter} as is_young
    from (
      select n.state, n.created_at, n.id,
             count(*) filter (where n.state in ('succeeded', 'failed')) over (order by n.id desc rows unbounded preceding) as ended
      from ${newestOperationsSql(String(judgedMax))} n) o
  ) latest`;

/** @param allFailed of `latest` */
export function healthStatusOf(connection: ConnectionStatus, allFailed: unknown): HealthStatus {
  return connection === 'bad_credentials' || allFailed === true ? 'unhealthy' : 'healthy';
}

/*
 * An installation stands in `unhealthy_installations` from the change that turned it until the change that heals it, so its endpoints are notified once.
 * Only where an endpoint asks for it; the next failure after one does is reported then. An operation under way heals nothing, nor do so many of them
 * that the resource shows `healthy` meanwhile: each failure after it would be reported again. What heals is a success, working credentials, or that
 * fewer operations are left than make it unhealthy.
 */

/** As rows have it. */
interface InstallationRow {
  readonly project_id: string;
  readonly installation_id: string;
}

const columns = [
  column<InstallationRow>('project_id', 'text', (row) => row.project_id),
  column<InstallationRow>('installation_id', 'text', (row) => row.installation_id),
];

const connectionSql = byKeySql('connections', 'k', { project_id: 'i.project_id', id: 'i.connection_id' });

/** SQL: the installations of these rows `t` as they are now. */
const judgedSql = (rows: string): string => `
  select i.project_id, i.id, k.status = 'bad_credentials' as is_refused, latest.all_failed, latest.is_young
  from (select distinct project_id, installation_id from ${rows}) t
  join installations i on i.project_id = t.project_id and i.id = t.installation_id
  cross join ${connectionSql} cross join ${latestOperationsSql}`;

/**
 * Part of the statement that ends operations: those that succeeded heal their installations, unless five newer ones failed. The statement does not see
 * that they ended: it passes them over. @param ended rows as they ended
 */
export const healSucceededSql = (ended: string): string => `
  delete from unhealthy_installations u using ${ended} x
  where u.project_id = x.project_id and u.installation_id = x.installation_id and x.state = 'succeeded' and not exists (
    select 1 from installations i cross join ${connectionSql} cross join ${latestOperationsSql}
    where i.project_id = u.project_id and i.id = u.installation_id and (
      k.status = 'bad_credentials' or (latest.all_failed and latest.first_failed_id > x.operation_id)))`;

/** One at a time for each installation: of two failures at once, neither sees the other end. Taken last, sorted. */
const lockSql = (rows: string): string => `
  select pg_advisory_xact_lock(h.key) from (
    select distinct hashtextextended('health/' || t.project_id || '/' || t.installation_id, 0) as key from ${rows} order by 1 offset 0) h`;

/**
 * Stores what this transaction has made of the health of installations, and notifies of those that it turned unhealthy.
 * @param changed what changed: an operation ended, or the connection became another or has another status
 */
export async function turnHealth(
  transaction: Knex.Transaction,
  installations: readonly InstallationRow[],
  changed: 'operation' | 'connection' = 'operation',
): Promise<void> {
  if (installations.length === 0) return;
  const input = rowSource('t', columns, installations);
  const bindings = input.bindings as Knex.Value[];
  await transaction.raw(lockSql(input.sql), bindings);
  // A statement of its own: it sees what others committed before they gave the lock away.
  const { rows } = await transaction.raw<{ rows: (InstallationRow & { readonly is_refused: boolean })[] }>(
    `with judged as materialized (${judgedSql(input.sql)}),
     healed as (delete from unhealthy_installations u using judged j
       where u.project_id = j.project_id and u.installation_id = j.id and not (j.is_refused or j.all_failed)
         and (j.is_young or ?::text = 'connection')),
     turned as (insert into unhealthy_installations (project_id, installation_id)
       select j.project_id, j.id from judged j where (j.is_refused or j.all_failed) and ${isWatchedSql('j.project_id')}
       on conflict do nothing returning project_id, installation_id)
     select t.*, j.is_refused from turned t join judged j on j.project_id = t.project_id and j.id = t.installation_id`,
    [...bindings, changed],
  );
  for (const row of rows) await notifyUnhealthy(transaction, row, row.is_refused);
}

async function notifyUnhealthy(
  transaction: Knex.Transaction,
  { project_id: projectId, installation_id: id }: InstallationRow,
  isRefused: boolean,
): Promise<void> {
  const own = `(select * from installations where project_id = :projectId and id = :id)`;
  const reason = isRefused ? 'bad_credentials' : 'operations_failed';
  const bindings = { projectId, id, reason, ...eventBindings('installation.unhealthy') };
  await transaction.raw(installationEventSql(own, `, 'reason', cast(:reason as text)`), bindings);
}

/** The same for all installations of a connection whose status this transaction has changed. */
export async function turnHealthOfConnection(
  transaction: Knex.Transaction,
  { projectId, connectionId }: { readonly projectId: string; readonly connectionId: string },
): Promise<void> {
  const { rows } = await transaction.raw<{ rows: InstallationRow[] }>(
    `select i.project_id, i.id as installation_id from connections k
     join installations i on i.project_id = k.project_id and i.group_ref = k.group_ref and i.connection_id = k.id
     where k.project_id = :projectId and k.id = :connectionId`,
    { projectId, connectionId },
  );
  await turnHealth(transaction, rows, 'connection');
}
