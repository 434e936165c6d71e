import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Logger } from '@sluice/telemetry';
import { knex, type Knex } from 'knex';
import { Client } from 'pg';
import { errorCode, isReadOnly, mayPass, stalePlans, toStartError } from './database-errors';
import type { Probe, SilenceWatch } from './silence-watch';
import { lostInPooler, readers, sessionSql, type SettingRow } from './session';

/** How long what the database does may take, each in milliseconds, so that one that is gone becomes a 503 and not a queue. */
export interface DatabaseLimits {
  /** Longest wait for a connection: for one of the pool, and for the server to take a new one. */
  readonly connectMs: number;
  /** Longest statement. */
  readonly statementMs: number;
  /** Longest rest inside a transaction. */
  readonly idleMs: number;
  /** Longest silence of a connection, which then is half open: its statement fails as one whose outcome is not known. 0: an index may take minutes. */
  readonly silentMs: number;
}

/** A database that is away is noticed within seconds, and a statement that hangs gives its connection back. */
export const usualLimits: DatabaseLimits = { connectMs: 2_000, statementMs: 5_000, idleMs: 10_000, silentMs: 35_000 };

/** Connections of a pool at most, unless it is said. */
export const poolMaxUsual = 10;

/** Each as PEM text: the certificates to trust in place of the public authorities, and the client's own with its key. */
export interface DatabaseCertificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface DatabaseOptions {
  /** `postgres://…`. Secret. */
  readonly url: string;
  /** For the TLS that `sslmode` of the URL asks for, in place of `sslrootcert`, `sslcert` and `sslkey` there. @default the public authorities */
  readonly tls?: DatabaseCertificates | undefined;
  /** Connections at most. @default 10 */
  readonly poolMax?: number;
  /** Name of the service, shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Whether hot statements keep their names, under which a connection plans them every few seconds. @default true */
  readonly prepared?: boolean;
  /** @default 2 s for a connection, 5 s per statement, 10 s idle in a transaction */
  readonly limits?: DatabaseLimits;
  readonly logger?: Logger;
  /** Fails what waits as soon as the database is hung. @default a statement waits as the limits say */
  readonly watch?: SilenceWatch | undefined;
}

/**
 * Commits, and waits for it as an accept does, without a table or a right of its own. A server that takes reads alone refuses it with the code of any other write, so
 * that its connection is dropped. Source: https://www.postgresql.org/docs/18/functions-admin.html#FUNCTIONS-REPLICATION
 */
export const commitSql = `do $$ begin
  if current_setting('transaction_read_only') = 'on' then
    raise exception using errcode = 'read_only_sql_transaction',
      message = case when pg_is_in_recovery() then 'the server is a standby' else 'default_transaction_read_only is on' end;
  end if;
  perform pg_logical_emit_message(true, 'sluice.health', '');
end $$`;

/** Touches no table and waits for no lock. */
const probeSql = 'select 1 as probe';

/** A knex instance that fails fast, on sessions with the settings that we rely on (session.ts). It keeps no connection to a server that takes no writes: the next one finds the primary; and none with a plan that is over. */
export function openDatabase(options: DatabaseOptions): Knex {
  const { connectMs, statementMs, idleMs, silentMs } = options.limits ?? usualLimits;
  const spoilt = new Set<string>();
  const database = knex({
    client: 'pg',
    connection: {
      ...address(options),
      application_name: options.applicationName,
      types: readers,
      connectionTimeoutMillis: connectMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: idleMs,
    },
    // knex would write to stdout; what matters of it is thrown as well.
    log: { warn: () => undefined, error: () => undefined, debug: () => undefined, deprecate: () => undefined },
    pool: {
      min: 0,
      max: options.poolMax ?? poolMaxUsual,
      acquireTimeoutMillis: connectMs,
      createTimeoutMillis: 2 * connectMs,
      // A server that shuts down emits an error on idle clients, which would end the process without a listener.
      afterCreate: (client: PooledClient & NamedClient, done: (error: Error | null, client: PooledClient) => void) => {
        client.on('error', (error) => options.logger?.warn({ reason: error.message }, 'database.connection-lost'));
        const { __knexUid: uid } = client;
        client.on('end', () => spoilt.delete(uid));
        // The pool closes one that rests sooner.
        const { stream } = client.connection;
        options.watch?.attend(stream);
        stream.setTimeout(silentMs, () => stream.destroy(new Error('Connection terminated: the server is silent')));
        (options.prepared === false ? forgetNames : renewPlans)(client);
        client.query(sessionSql, (error: Error | null, result?: { readonly rows: readonly SettingRow[] }) => {
          const fault = error ?? lostInPooler(result?.rows ?? [], client.processID ?? null) ?? null;
          // knex forgets a client that it did not get.
          if (fault !== null) client.end(() => undefined);
          done(fault, client);
        });
      },
      validate: ({ __knexUid: uid }: NamedClient) => !spoilt.delete(uid),
    },
  });
  const { watch } = options;
  if (watch) {
    const client = database.client as Knex.Client;
    const acquire = client.acquireConnection.bind(client) as () => Promise<unknown>;
    client.acquireConnection = () => watch.connected(acquire, (connection) => client.releaseConnection(connection));
  }
  database.on('query-error', (error: unknown, { __knexUid: uid, sql }: NamedClient & { readonly sql: string }) => {
    if (isReadOnly(error) || stalePlans.includes(errorCode(error) ?? '')) spoilt.add(uid);
    // The health check reports it once.
    if (isReadOnly(error) && sql !== commitSql) options.logger?.warn({ reason: String(error) }, 'database.read-only');
  });
  return database;
}

/**
 * The URL, and the TLS beside it. As soon as the URL names TLS, the driver takes all of it from there, and reads certificates from files only.
 * So with given certificates, the URL names none.
 */
function address({ url, tls }: Pick<DatabaseOptions, 'url' | 'tls'>): {
  readonly connectionString: string;
  readonly ssl?: ConnectionOptions;
} {
  if (tls === undefined) return { connectionString: url };
  const plain = new URL(url);
  // verify-ca leaves the host's name unchecked, as libpq does; require checks it, as pg does.
  const isNameChecked = plain.searchParams.get('sslmode') !== 'verify-ca';
  for (const name of ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat']) {
    plain.searchParams.delete(name);
  }
  const ssl = { ...tls, ...(isNameChecked ? {} : { checkServerIdentity: () => undefined }) };
  return { connectionString: plain.toString(), ssl };
}

/** A connection beside the pool, which waits for nothing that the pool waits for. */
export function openProbe(options: Pick<DatabaseOptions, 'url' | 'tls'>): Probe {
  let client: Client | undefined;
  const end = (ended: Client | undefined): void => {
    (ended as unknown as PooledClient | undefined)?.connection.stream.destroy();
    if (client === ended) client = undefined;
  };
  return {
    ask: async () => {
      const isNew = client === undefined;
      const used = (client ??= new Client({ ...address(options), application_name: 'sluice-probe' }));
      try {
        // What ends it later is thrown by the next question as well.
        if (isNew) await used.on('error', () => undefined).connect();
        await used.query(probeSql);
      } catch (error) {
        end(used);
        throw error;
      }
    },
    drop: () => end(client),
  };
}

/** A moment this far from now, by the database's clock. */
export function inMs(database: Knex, ms: number): Knex.Raw {
  return database.raw('now() + make_interval(secs => ?::float8 / 1000)', [ms]);
}

/** Functions without their first parameter. */
type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (database: Knex, ...given: infer Given) => infer Result
    ? (...given: Given) => Result
    : never;
};

/** These functions as the methods of a store: each on this database. */
export function bound<Functions extends object>(database: Knex, functions: Functions): Bound<Functions> {
  const entries = Object.entries(functions) as [string, (...given: unknown[]) => unknown][];
  const methods = entries.map(([name, run]) => [name, (...given: unknown[]) => run(database, ...given)]);
  return Object.fromEntries(methods) as Bound<Functions>;
}

/** Names of our services that are connected to this database now. */
export async function findServices(database: Knex): Promise<string[]> {
  const { rows } = await database.raw<{ rows: { name: string }[] }>(
    `select distinct application_name as name from pg_stat_activity where datname = current_database()
       and application_name in ('management', 'write-gateway', 'batcher', 'executor', 'search') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** The name that knex gives a client. */
interface NamedClient {
  readonly __knexUid: string;
}

/** What is used of a client of `pg`. */
interface PooledClient {
  /** As the other end named its process. */
  readonly processID?: number | null;
  readonly connection: { readonly stream: Socket };
  on(event: 'error' | 'end', listener: (error: Error) => void): void;
  end(ended: () => void): void;
  query(statement: string | { name?: string }, ...rest: unknown[]): unknown;
}

/**
 * How long a plan is used, in milliseconds. A plan that was made for an empty table reads the whole table, so shorter is
 * better. A plan costs up to 3 ms, once per connection and statement.
 */
const plannedForMs = 5_000;

/**
 * Statements with a name are prepared once per connection, and planned anew when what was planned is older than this. Otherwise a plan made for
 * the first rows of a table would hold until the next `analyze`, which is a minute away and of tables that grow fast many minutes. Replacing
 * `query` of pg pays: it took a third off the CPU of Postgres per synchronous write (ADR 27). `test/statement-cost.test.ts` fails when a new
 * pg or knex no longer sends its statements through it.
 * Source: https://www.postgresql.org/docs/18/sql-discard.html
 */
export function renewPlans(client: Pick<PooledClient, 'query'>, maxMs = plannedForMs): void {
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

/** A pooler in transaction mode gives each transaction another session, which does not know the name. */
function forgetNames(client: PooledClient): void {
  const query = client.query.bind(client);
  client.query = (statement, ...rest) => {
    // knex makes the object for this one call.
    if (typeof statement !== 'string') delete statement.name;
    return query(statement, ...rest);
  };
}

export interface Patience {
  /** `postgres://…`. Secret: the error names its server and database only. */
  readonly url: string;
  /** How long a database that cannot be used for the moment is tried again. 0 tries once. */
  readonly waitMs: number;
  readonly logger?: Logger | undefined;
}

/** Between two tries. A try of its own waits up to 2 s for a connection. */
const restMs = 500;

/**
 * Does the first work of a process on its database; again and again while the database is busy, starting, or not to be reached. A node
 * that starts many processes at once, and a database that restarts, are no reason to give up. What no waiting heals fails at once: a refused
 * login, a database that is not there, a schema that lacks a step.
 * @throws DependencyError with the last reason, and how long it was tried
 */
export async function awaitDatabase<T>(work: () => Promise<T>, { url, waitMs, logger }: Patience): Promise<T> {
  const begunAtMs = performance.now();
  for (let logged = ''; ;) {
    try {
      return await work();
    } catch (error) {
      const triedMs = performance.now() - begunAtMs;
      if (!mayPass(error) || triedMs >= waitMs) throw toStartError(error, url, logged === '' ? 0 : triedMs);
      const { detail } = toStartError(error, url);
      // Once for each reason: half a minute of tries says nothing more.
      if (detail !== logged) logger?.warn({ reason: detail, waitMs }, 'database.awaited');
      logged = detail;
      await sleep(restMs);
    }
  }
}
