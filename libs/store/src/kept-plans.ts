import { performance } from 'node:perf_hooks';

/** What is used of a client of `pg`. */
export interface PooledClient {
  on(event: 'error', listener: (error: Error) => void): void;
  query(statement: string | { name?: string }, ...rest: unknown[]): unknown;
}

/**
 * How long a plan is kept, in milliseconds. A table that was empty when a statement was planned is read whole by that plan, so the shorter the
 * better; a plan costs up to 3 ms, once per connection and statement.
 */
const keptMs = 5_000;

/**
 * Statements with a name are planned once per connection, and anew when what was planned is older than this. Otherwise a plan made for the
 * first rows of a table would hold until the next `analyze`, which is a minute away and of tables that grow fast many minutes.
 * Source: https://www.postgresql.org/docs/18/sql-discard.html
 */
export function renewPlans(client: PooledClient, maxMs = keptMs): void {
  const query = client.query.bind(client);
  let plannedAtMs = performance.now();
  client.query = (statement, ...rest) => {
    const nowMs = performance.now();
    const isOld = nowMs - plannedAtMs > maxMs;
    if (typeof statement === 'string' || statement.name === undefined || !isOld) return query(statement, ...rest);
    plannedAtMs = nowMs;
    // Whatever keeps this from working is met by the statement as well.
    return new Promise((resolve) => query('discard plans', () => resolve(query(statement, ...rest))));
  };
}

/** A pooler in transaction mode gives each transaction another session, where the name was never heard of. */
export function forgetNames(client: PooledClient): void {
  const query = client.query.bind(client);
  client.query = (statement, ...rest) => {
    // knex makes the object for this one call.
    if (typeof statement !== 'string') delete statement.name;
    return query(statement, ...rest);
  };
}
