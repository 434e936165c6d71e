import type { Knex } from 'knex';

/**
 * Keys share this many locks (a power of two). A transaction may hold thousands of keys, and the server's lock table has 6,400
 * slots by default. Two keys in one bucket only wait for each other's transaction.
 */
const buckets = 512;

/**
 * Takes transaction locks on order keys, sorted, so that two takers never wait for each other.
 * Lock order everywhere: lanes, order keys, adoptions, operations, calls.
 */
export async function lockOrderKeys(transaction: Knex.Transaction, orderKeys: readonly string[]): Promise<void> {
  if (orderKeys.length === 0) return;
  await transaction.raw(lockSql, lockBindings(orderKeys));
}

const keysSql = '(select distinct hashtextextended(key, 0) & ? as hash from unnest(?::text[]) as key order by 1) k';
const lockSql = `select pg_advisory_xact_lock(k.hash) from ${keysSql}`;
/** The scalar subquery is evaluated before the first key is locked. */
const lockDeleteSql = `
  with held as materialized (select 1 from installations where project_id = ? and id = ? for share)
  select pg_advisory_xact_lock(k.hash) from ${keysSql} where (select count(*) from held) >= 0`;

function lockBindings(orderKeys: readonly string[]) {
  return [buckets - 1, [...orderKeys]] as unknown as Knex.Value[];
}

/**
 * The locks of a synchronous write to known records, in one statement. @param installation of a delete: it is locked first, as a deletion of the
 * installation does. Only deletes pay for it: other writes pin what they were planned on
 */
export async function lockForSynchronous(
  transaction: Knex.Transaction,
  orderKeys: readonly string[],
  installation: { readonly projectId: string; readonly id: string } | undefined,
): Promise<void> {
  if (installation === undefined) return await lockOrderKeys(transaction, orderKeys);
  const bindings = [installation.projectId, installation.id, ...lockBindings(orderKeys)];
  await transaction.raw(lockDeleteSql, bindings);
}
