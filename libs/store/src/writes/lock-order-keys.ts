import type { Knex } from 'knex';

/**
 * Keys share this many locks (a power of two). A transaction may hold thousands of keys, and the server's lock table has 6,400
 * slots by default. Two keys in one bucket only wait for each other's transaction.
 */
const buckets = 512;

/**
 * Takes transaction locks on order keys, sorted, so that two takers never wait for each other.
 * Lock order everywhere: lanes, order keys, operations, calls.
 */
export async function lockOrderKeys(transaction: Knex.Transaction, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await transaction.raw(
    `select pg_advisory_xact_lock(k.hash)
     from (select distinct hashtextextended(key, 0) & ? as hash from unnest(?::text[]) as key order by 1) k`,
    [buckets - 1, [...orderKeys]] as unknown as Knex.Value[],
  );
}
