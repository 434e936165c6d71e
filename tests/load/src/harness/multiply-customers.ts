import { newId } from '@sluice/store';
import { withDatabase } from './database';
import { groupMark } from './generate-load';
import type { System } from './system';

/**
 * Makes customers by copying the first one's rows in SQL, up to `customers` in all. Their credentials cannot be opened, because a
 * secret is sealed for its own connection: enough to accept writes, not to perform them.
 */
export async function multiplyCustomers({ databaseUrl, project }: System, customers: number): Promise<void> {
  const idPrefix = newId().slice(0, 24);
  const width = groupMark.length;
  await withDatabase(databaseUrl, async (database) => {
    await database.raw(
      `with first as (
         select i.*, c.id as old_connection from installations i join connections c on c.project_id = i.project_id and c.id = i.connection_id
         where i.project_id = :projectId and i.group_ref = 'g-' || repeat('0', :width)),
       given as materialized (
         select n, :idPrefix || lpad(to_hex(n), 12, '0') as id, 'g-' || lpad(n::text, :width, '0') as group_ref
         from generate_series(:from::integer, :to::integer) n),
       grouped as (
         insert into groups (project_id, group_ref, group_name) select f.project_id, g.group_ref, g.group_ref from given g, first f),
       laned as (
         insert into lanes (project_id, id, provider, account_ref)
         select l.project_id, g.id, l.provider, 'copy-' || g.n from given g, first f
         join connections c on c.project_id = f.project_id and c.id = f.connection_id
         join lanes l on l.project_id = c.project_id and l.id = c.lane_id),
       connected as (
         insert into connections (project_id, id, provider, group_ref, consumer_ref, lane_id, provider_workspace_ref, auth_scheme, status, sealed_credentials, seal_key_id)
         select c.project_id, g.id, c.provider, g.group_ref, c.consumer_ref, g.id, c.provider_workspace_ref, c.auth_scheme, c.status, c.sealed_credentials, c.seal_key_id
         from given g, first f join connections c on c.project_id = f.project_id and c.id = f.connection_id),
       configured as (
         insert into configs (project_id, id, installation_id, revision_id, content_hash, created_by)
         select k.project_id, g.id, g.id, k.revision_id, k.content_hash, k.created_by
         from given g, first f join configs k on k.project_id = f.project_id and k.id = f.config_id)
       insert into installations (project_id, id, integration_id, group_ref, connection_id, config_id, created_by)
       select f.project_id, g.id, f.integration_id, g.group_ref, g.id, g.id, f.created_by from given g, first f`,
      { projectId: project.id, idPrefix, width, from: project.customers, to: customers - 1 },
    );
    await database.raw('vacuum (analyze) lanes, connections, configs, installations');
  });
}
