import { openDatabase } from '@sluice/store';

export type Database = ReturnType<typeof openDatabase>;

/** A connection to a system's database, to prepare it and to read from it. */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ url, poolMax: 2, applicationName: 'sluice-bench' });
  try {
    await database.raw('set statement_timeout = 0');
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** How many rows a `select … as count` counts. */
export async function countOf(database: Database, sql: string, bindings: readonly string[] = []): Promise<number> {
  const { rows } = await database.raw<{ rows: { count: string }[] }>(sql, [...bindings]);
  return Number(rows[0]?.count);
}

/** A report is of a Postgres that waits for the disk, as everybody's does. @throws for one that `npm test` has started */
export async function requireDurable(url: string): Promise<void> {
  const { rows } = await withDatabase(url, (database) => database.raw<{ rows: { fsync: string }[] }>('show fsync'));
  if (rows[0]?.fsync !== 'on') throw new Error('Postgres runs with fsync=off, as npm test starts it: wait for its end');
}
