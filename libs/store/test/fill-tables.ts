import type { openDatabase } from '@sluice/store';

type Database = ReturnType<typeof openDatabase>;

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** A value of each type that a required column has. */
const sample: Readonly<Record<string, string>> = {
  text: `'filled'`,
  integer: '1',
  bigint: '1',
  boolean: 'false',
  bytea: `'\\x00'`,
  ARRAY: `'{}'`,
  'timestamp with time zone': 'now()',
};

/** Of the schema as it is, so that a table that comes later is among them by itself. */
async function requiredColumns(database: Database): Promise<Column[]> {
  const { rows } = await database.raw<{ rows: Column[] }>(
    `select c.table_name as "table", c.column_name as name, c.data_type as type from information_schema.columns c
     join information_schema.columns p on p.table_schema = c.table_schema and p.table_name = c.table_name and p.column_name = 'project_id'
     where c.table_schema = 'public' and c.is_nullable = 'NO' and c.column_default is null order by 1, c.ordinal_position`,
  );
  return rows;
}

/** Puts one more row of each project into every table that has rows of projects, but for the list of deletions. Operations have ended. */
export async function fillTables(database: Database, projectIds: readonly string[]): Promise<void> {
  const columns = (await requiredColumns(database)).filter(({ table }) => table !== 'project_deletions');
  for (const table of new Set(columns.map((column) => column.table))) {
    const names = columns.filter((column) => column.table === table).map(({ name }) => name);
    for (const projectId of projectIds) {
      const values = columns.filter((column) => column.table === table).map((column) => valueOf(column, projectId));
      await database.raw(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`);
    }
  }
}

function valueOf({ table, name, type }: Column, projectId: string): string {
  if (name === 'project_id') return `'${projectId}'`;
  if (table === 'operations' && name === 'state') return `'succeeded'`;
  const value = sample[type];
  if (value === undefined) throw new Error(`${table}.${name}: there is no sample of the type ${type}`);
  return value;
}

/** Rows of a project by table, also of tables without one. */
export async function rowsOf(database: Database, projectId: string): Promise<Record<string, number>> {
  const tables = [...new Set((await requiredColumns(database)).map(({ table }) => table))];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await database.raw<{ rows: { id: string }[] }>(
      `select project_id as id from ?? where project_id = ?`,
      [table, projectId],
    );
    counts[table] = rows.length;
  }
  return counts;
}
