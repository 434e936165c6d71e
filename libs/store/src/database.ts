import { DependencyError } from '@sluice/errors';
import type { Logger } from '@sluice/telemetry';
import { knex, type Knex } from 'knex';
import { forgetNames, renewPlans, type PooledClient } from './kept-plans';

/** How long what the database does may take, each in milliseconds, so that one that is gone becomes a 503 and not a queue. */
export interface DatabaseLimits {
  /** Longest wait for a connection: for one of the pool, and for the server to take a new one. */
  readonly connectMs: number;
  /** Longest statement. */
  readonly statementMs: number;
  /** Longest rest inside a transaction. */
  readonly idleMs: number;
}

/** A database that is away is noticed within seconds, and a statement that hangs gives its connection back. */
const usualLimits: DatabaseLimits = { connectMs: 2_000, statementMs: 5_000, idleMs: 10_000 };

export interface DatabaseOptions {
  /** `postgres://…`. Secret. */
  readonly url: string;
  /** Connections at most. @default 10 */
  readonly poolMax?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Whether hot statements keep their names, under which a connection plans them every few seconds. @default true */
  readonly prepared?: boolean;
  /** @default 2 s for a connection, 5 s per statement, 10 s idle in a transaction */
  readonly limits?: DatabaseLimits;
  readonly logger?: Logger;
}

/** A knex instance that fails fast. */
export function openDatabase(options: DatabaseOptions): Knex {
  const { connectMs, statementMs, idleMs } = options.limits ?? usualLimits;
  return knex({
    client: 'pg',
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: idleMs,
    },
    // knex would write to stdout; what matters of it is thrown as well.
    log: { warn: () => undefined, error: () => undefined, debug: () => undefined, deprecate: () => undefined },
    pool: {
      min: 0,
      max: options.poolMax ?? 10,
      acquireTimeoutMillis: connectMs,
      // A server that shuts down emits an error on idle clients, which would end the process unheard.
      afterCreate: (client: PooledClient, done: (error: Error | null, client: PooledClient) => void) => {
        client.on('error', (error) => options.logger?.warn({ reason: error.message }, 'database.connection-lost'));
        (options.prepared === false ? forgetNames : renewPlans)(client);
        done(null, client);
      },
    },
  });
}

/** SQLSTATE of a driver error, or the Node code of a socket error. Undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Whether the server answered with an error of its own, so that nothing of the statement was applied. */
export function isRefusedByServer(error: unknown): boolean {
  const code = errorCode(error);
  // 57P01-57P03: the server goes away; 08xxx: the connection is gone. Both leave a COMMIT's outcome open.
  // EPIPE is as long, but the system's: no class of answers begins with E.
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(57P|08|E)/.test(code);
}

/** Whether no connection was to be had, so that the statement never left. */
export function neverReached(error: unknown): boolean {
  const { name, message } = error as Error;
  // knex gave up waiting for its pool; pg gave up connecting.
  if (name === 'KnexTimeoutError' || /timeout exceeded when trying to connect|connection timeout/i.test(message))
    return true;
  return ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'].includes(errorCode(error) ?? '');
}

/** What callers of the store see when Postgres does not answer. */
export function toDependencyError(error: unknown): DependencyError {
  return new DependencyError({
    code: 'service.unavailable',
    detail: 'The database does not answer.',
    retryAfterMs: 2_000,
    cause: error,
  });
}
