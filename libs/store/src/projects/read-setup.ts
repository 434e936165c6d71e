import type { OverviewSetup } from '@sluice/types';
import type { Knex } from 'knex';

/** A project with so many operations is no new one, whatever became of them; so many are read at most. */
const operationsMax = 1_000;

/** How far a project is that has written no record yet. @returns undefined: it has, or it has many operations */
export async function readSetup(database: Knex, projectId: string): Promise<OverviewSetup | undefined> {
  const { rows } = await database.raw<{ rows: [OverviewSetup & { readonly isWriting: boolean }] }>(setupSql, {
    projectId,
    operationsMax,
  });
  const { isWriting, ...setup } = rows[0];
  return isWriting ? undefined : setup;
}

const has = (table: string): string => `exists (select 1 from ${table} t where t.project_id = :projectId)`;

const setupSql = `
  select ${has('integrations')} as "hasIntegration", ${has('provider_apps')} as "hasProviderApp", ${has('installations')} as "hasCustomer",
    count(*) > 0 as "hasWrite", count(*) >= :operationsMax or coalesce(bool_or(o.records_succeeded > 0), false) as "isWriting"
  from (select records_succeeded from operations where project_id = :projectId order by id desc limit :operationsMax::integer) o`;
