import type { openDatabase } from '@sluice/store';

type Database = ReturnType<typeof openDatabase>;

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

interface Query {
  readonly sql: string;
  readonly bindings: readonly string[];
}

/**
 * Pages of 8 kB that the statements of `work` touch, counted by the server: what a statement costs, however loaded the machine is.
 * Nothing that `work` does stays.
 */
export async function pagesOf(database: Database, work: (inside: Database) => Promise<unknown>): Promise<number> {
  const queries = await recordQueries(database, work);
  let pages = 0;
  await undone(database, async (inside) => {
    for (const { sql, bindings } of queries) {
      const explained = await inside.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
        `explain (analyze, buffers, format json) ${sql.replaceAll(/\$\d+/g, '?')}`,
        [...bindings],
      );
      const plan = explained.rows[0]?.['QUERY PLAN'][0]?.Plan;
      if (plan === undefined) throw new Error('a statement was not explained');
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    }
  });
  return pages;
}

async function recordQueries(database: Database, work: (inside: Database) => Promise<unknown>): Promise<Query[]> {
  const queries: Query[] = [];
  const record = (query: Query): void => {
    if (/^(select|with|update)\b/.test(query.sql.trim())) queries.push(query);
  };
  database.on('query', record);
  await undone(database, work).finally(() => database.removeListener('query', record));
  return queries;
}

async function undone(database: Database, work: (inside: Database) => Promise<unknown>): Promise<void> {
  const end = new Error('roll back');
  await database
    .transaction(async (transaction) => {
      await work(transaction);
      throw end;
    })
    .catch((error: unknown) => {
      if (error !== end) throw error;
    });
}
