import type { Knex } from 'knex';

/**
 * Rows of tables and entries of indexes that the statements of `work` read, as the server counts them for this transaction: whatever else runs, and
 * however loaded the machine is. Nothing that `work` does stays.
 */
export async function rowsRead(database: Knex, work: (inside: Knex) => Promise<unknown>): Promise<number> {
  const end = new Error('roll back');
  let read = 0;
  await database
    .transaction(async (transaction) => {
      const before = await readUntilNow(transaction);
      await work(transaction);
      read = (await readUntilNow(transaction)) - before;
      throw end;
    })
    .catch((error: unknown) => {
      if (error !== end) throw error;
    });
  return read;
}

/** Of this transaction, and of those before it that the server has not added up yet. */
async function readUntilNow(transaction: Knex): Promise<number> {
  const { rows } = await transaction.raw<{ rows: [{ read: string }] }>(
    `select sum(pg_stat_get_xact_tuples_returned(oid)) as read from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  );
  return Number(rows[0].read);
}
