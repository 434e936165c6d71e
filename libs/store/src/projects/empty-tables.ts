import type { Knex } from 'knex';
import type { StoreFailpoints } from '../failpoints';
import { guard } from '../guard';

/** A deleted project, where it is, and where a test may end who erases it. */
export interface Erased {
  readonly database: Knex;
  readonly projectId: string;
  readonly failpoints: StoreFailpoints;
}

/** Rows that one statement deletes: the statement stays far from its limit of 5 s. */
const rowsPerRound = 1_000;

/** @returns whether one of the tables had a row, so that there may be more: who asks twice at once finds what the other one left */
export async function emptySome(erased: Erased, tables: readonly string[]): Promise<boolean> {
  const { database, projectId, failpoints } = erased;
  const filled = await findFilled(erased, tables);
  for (const table of filled) {
    const bindings = [table, table, projectId, rowsPerRound];
    const sql = 'delete from ?? where ctid = any(array(select ctid from ?? where project_id = ? limit ?))';
    await guard(() => byKey(database, (transaction) => transaction.raw(sql, bindings)));
    await failpoints.hit('st.after_erase_step');
  }
  return filled.length > 0;
}

/** Those of the tables that have a row of the project: one jump into each key. */
export async function findFilled({ database, projectId }: Erased, tables: readonly string[]): Promise<string[]> {
  const look = 'select ?::text as name where exists (select 1 from ?? where project_id = ?)';
  const { rows } = await byKey(database, (transaction) =>
    transaction.raw<{ rows: { name: string }[] }>(
      tables.map(() => look).join(' union all '),
      tables.flatMap((table) => [table, table, projectId]),
    ),
  );
  return rows.map(({ name }) => name);
}

/**
 * Of a project that has most of a table the planner would read the table from its start, past everything that is gone already: each
 * round longer than the one before. The key passes over what is gone.
 */
async function byKey<T>(database: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  return await database.transaction(async (transaction) => {
    await transaction.raw(
      `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    );
    return await work(transaction);
  });
}
