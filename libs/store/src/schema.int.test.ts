import { useDatabase } from '../test/use-database';

const fixture = useDatabase();

interface KeyRow {
  table: string;
  index: string;
  first_column: string;
}

/** `projects` is the list of projects itself, processes work for all of them, people may enter each; the others belong to the migrator. */
const notTenantTables = [
  'projects',
  'process_minutes',
  'people',
  'sessions',
  'knex_migrations',
  'knex_migrations_lock',
];

const keysSql = `
  select t.relname as table, x.relname as index, a.attname as first_column
  from pg_index i
  join pg_class t on t.oid = i.indrelid
  join pg_class x on x.oid = i.indexrelid
  join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
  join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
  where i.indisunique`;

describe('schema', () => {
  // Protects the way out of one Postgres: tables can be spread by project.
  it('starts every primary and unique key of a tenant table with project_id', async () => {
    const { rows } = await fixture.database.raw<{ rows: KeyRow[] }>(keysSql);
    const tenantKeys = rows.filter((row) => !notTenantTables.includes(row.table));
    expect(tenantKeys.length).toBeGreaterThan(15);
    expect(tenantKeys.filter((row) => row.first_column !== 'project_id')).toEqual([]);
  });

  it('gives every tenant table a primary key', async () => {
    const { rows } = await fixture.database.raw<{ rows: { table: string }[] }>(
      `select t.relname as table from pg_class t
       join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
       where t.relkind = 'r' and not exists (select 1 from pg_index i where i.indrelid = t.oid and i.indisprimary)`,
    );
    expect(rows.map((row) => row.table)).toEqual([]);
  });
});
