import { createHash, randomUUID } from 'node:crypto';
import { readProcessEnv } from '@sluice/config';
import { migrateDatabase, migrations, openDatabase, type DatabaseLimits } from '@sluice/store';

/**
 * Limits for the databases of tests, where a busy machine must not look like a database that is away. Tests of a database that is away use the
 * limits of the store.
 */
export const patientLimits: DatabaseLimits = { connectMs: 60_000, statementMs: 60_000, idleMs: 60_000, silentMs: 0 };

type Database = ReturnType<typeof openDatabase>;

/** A migrated database of one test file. */
export interface ClonedDatabase {
  /** `postgres://…` of this database. */
  readonly url: string;
  /** Removes it, also while connections are open. */
  drop(): Promise<void>;
}

/**
 * A fresh, migrated, empty database: a copy of a template that is made once per state of the migrations. Safe from
 * several jest workers at once. The server is the one of `DATABASE_URL`, whose user must be allowed to create databases.
 */
export async function cloneDatabase(): Promise<ClonedDatabase> {
  const serverUrl = readServerUrl();
  const name = nameDatabase();
  await onServer(serverUrl, async (server) => {
    const template = await ensureTemplate(server, serverUrl);
    await server.raw('create database ?? template ??', [name, template]);
  });
  return toDatabase(serverUrl, name);
}

/** A database without any table, as before the first migration. */
export async function createEmptyDatabase(): Promise<ClonedDatabase> {
  const serverUrl = readServerUrl();
  const name = nameDatabase();
  await onServer(serverUrl, async (server) => void (await server.raw('create database ??', [name])));
  return toDatabase(serverUrl, name);
}

/** Rows per table, for proving that a refused request wrote nothing. Tables without rows are left out, and so are the minutes: a clock writes them. */
export async function countRows(url: string): Promise<Record<string, number>> {
  return await onServer(url, async (database) => {
    const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename not like '%minutes' order by tablename`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const row = await database(name).count<{ count: string }[]>('* as count').first();
      const count = Number(row?.count ?? 0);
      if (count > 0) counts[name] = count;
    }
    return counts;
  });
}

function nameDatabase(): string {
  return `sluice_test_${randomUUID().replaceAll('-', '')}`;
}

function toDatabase(serverUrl: string, name: string): ClonedDatabase {
  return {
    url: urlOf(serverUrl, name),
    drop: () => onServer(serverUrl, async (server) => void (await server.raw('drop database ?? with (force)', [name]))),
  };
}

function readServerUrl(): string {
  const url = readProcessEnv()['DATABASE_URL'];
  if (url === undefined || url === '') throw new Error('Set DATABASE_URL to a Postgres server that tests may use.');
  return url;
}

/** One connection, so that the session lock and the session's timeout hold for everything inside. */
async function onServer<Result>(url: string, work: (server: Database) => Promise<Result>): Promise<Result> {
  const server = openDatabase({ url, poolMax: 1, applicationName: 'sluice-testkit', limits: patientLimits });
  try {
    await server.raw('set statement_timeout = 0');
    return await work(server);
  } finally {
    await server.destroy();
  }
}

async function ensureTemplate(server: Database, serverUrl: string): Promise<string> {
  const name = `sluice_template_${templateKey()}`;
  await server.raw(`select pg_advisory_lock(hashtext('sluice.testkit.template'))`);
  try {
    const { rows } = await server.raw<{ rows: unknown[] }>('select 1 from pg_database where datname = ?', [name]);
    if (rows.length === 0) await buildTemplate(server, serverUrl, name);
  } finally {
    await server.raw(`select pg_advisory_unlock(hashtext('sluice.testkit.template'))`);
  }
  return name;
}

/** Builds under another name and renames at the end: a template that exists is complete. */
async function buildTemplate(server: Database, serverUrl: string, name: string): Promise<void> {
  const draft = `${name}_draft`;
  await server.raw('drop database if exists ?? with (force)', [draft]);
  await server.raw('create database ??', [draft]);
  await migrateDatabase(urlOf(serverUrl, draft), { waitMs: patientLimits.connectMs });
  await server.raw('alter database ?? rename to ??', [draft, name]);
}

/** Names and bodies: a migration that is still being written changes without changing its name. */
function templateKey(): string {
  const text = migrations.map((migration) => `${migration.name}\n${migration.up.toString()}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.toString();
}
