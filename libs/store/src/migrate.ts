import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyError, SluiceError } from '@sluice/errors';
import type { Fault } from '@sluice/telemetry';
import type { Knex } from 'knex';
import { commitSql } from './database';
import { errorCode, isRefusedByServer, startReason, toStoreError } from './database-errors';
import type { Migration } from './migration';
import { migrations } from './migrations';
import { findApplied, refuseOlder, takeOver } from './take-over';

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({ up: migration.up, down: () => Promise.reject(new Error('migrations only go forward')) }),
};

/** Longest wait of a step for a table that is in use, in milliseconds: statements queued behind it wait as long. */
const lockMs = 3_000;
/** Between two tries, in milliseconds: statements queued behind the step go first. */
const pauseMs = 1_000;
/** Two minutes of tries: longer than any of our transactions, shorter than a hook of an upgrade may take. */
const tries = 30;
/** Postgres' codes for "not within lock_timeout" and "a deadlock was found". */
const hindrances = ['55P03', '40P01'];

/**
 * Brings the schema to the current version. Safe to run from several processes: an advisory lock lets one work. Each step commits by
 * itself, so that none waits for a table while it locks another: a transaction of a running service could wait the other way round.
 * @param from02 whether a database of 0.2.0 is taken over first; any other is migrated as without it
 * @returns the names of the steps that were applied here, in their order
 * @throws DependencyError when a table stays in use, by a backup or a long transaction; the steps before that one are kept
 * @throws DependencyError when the database is of a version before the baseline, with what to do
 */
export async function migrate(database: Knex, from02 = false): Promise<string[]> {
  const applied = from02 ? await underLock(database, takeOver) : [];
  for (;;) {
    const step = await underLock(database, applyNext);
    if (step.length === 0) return applied;
    applied.push(...step);
  }
}

/** Runs the work in a transaction of its own, of which there is one at a time, again while a table that it needs is in use. */
async function underLock(
  database: Knex,
  work: (transaction: Knex.Transaction) => Promise<string[]>,
): Promise<string[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      // knex's own lock table survives a killed migrator; a lock of a transaction does not, and a pooler in between keeps it.
      return await database.transaction(async (transaction) => {
        // An index over a million rows takes longer than the 5 s that a statement of a service may take, and than a role may allow.
        const limits = `'^(statement|transaction)_timeout$'`;
        await transaction.raw(`select set_config(name, '0', true) from pg_settings where name ~ ${limits}`);
        await transaction.raw(`select pg_advisory_xact_lock(hashtext('sluice.migrate'))`);
        await transaction.raw(`set local lock_timeout = ${lockMs}`);
        return await work(transaction);
      });
    } catch (cause) {
      if (!hindrances.includes(errorCode(cause) ?? '')) throw cause;
      if (tried === tries) throw await inUse(database, cause);
      await sleep(pauseMs);
    }
  }
}

async function applyNext(transaction: Knex.Transaction): Promise<string[]> {
  await refuseHidden(transaction);
  await refuseOlder(transaction);
  const [, names] = (await transaction.migrate.up({
    migrationSource: source,
    disableMigrationsListValidation: true,
  })) as [number, string[]];
  return names;
}

async function inUse(database: Knex, cause: unknown): Promise<DependencyError> {
  const [next] = await findMissing(database);
  return new DependencyError({
    code: 'service.unavailable',
    detail: `The migration ${next} found its table in use in each of ${tries} tries of ${lockMs} ms.`,
    remedy:
      'A lock is held on it, as by a backup or a long transaction: see pg_stat_activity, and run npm run migrate again when it has ended.',
    cause,
  });
}

/** Refuses a schema that lacks a step this code needs, and names the command. A newer schema is welcome. So it does with a database that takes no writes. */
export async function assertMigrated(database: Knex): Promise<void> {
  await database.raw(commitSql);
  const missing = await findMissing(database);
  if (missing.length === 0) return;
  await refuseHidden(database);
  await refuseOlder(database);
  throw new DependencyError({
    code: 'service.unmigrated',
    detail: `The database schema lacks ${missing.length} of ${migrations.length} migrations, first ${missing[0]}.`,
    remedy: 'Run: npm run migrate',
  });
}

/** The schemas that a session sees, the one that it makes tables in, and one with tables of ours that it may read and does not see. */
const pathSql = `
  select current_setting('search_path') as path, current_schema() as own, (
    select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relname = 'knex_migrations' and to_regclass('knex_migrations') is null and has_table_privilege(c.oid, 'select')
      and exists (select 1 from pg_class l where l.relnamespace = n.oid and l.relname = 'order_queue') limit 1) as hidden`;

interface PathRow {
  readonly path: string;
  readonly own: string | null;
  readonly hidden: string | null;
}

/** A role or a database with another search_path has lost nothing, and a migration would make everything once more, empty. */
async function refuseHidden(database: Knex): Promise<void> {
  const { rows } = await database.raw<{ rows: [PathRow] }>(pathSql);
  const [{ path, own, hidden }] = rows;
  if (own !== null && hidden === null) return;
  const reason =
    hidden === null ? 'names no schema that exists' : `leaves out the schema ${hidden} with the tables of Sluice`;
  throw new DependencyError({
    code: 'service.unmigrated',
    detail: `The search_path of the role or the database, ${path}, ${reason}.`,
    remedy: `Run for the role of DATABASE_URL: alter role … set search_path = ${hidden ?? 'public'}`,
  });
}

/**
 * What keeps the database from being used; undefined for nothing. Something is committed, and the last migration of this code is looked for. A database that came
 * back empty or from an old backup under a running service answers as well, and would fail every request.
 */
export async function healthOf(database: Knex): Promise<Fault | undefined> {
  const last = migrations.at(-1)?.name ?? '';
  try {
    const found = await database<{ name: string }>('knex_migrations').where({ name: last }).first('name');
    if (found === undefined) return lacking;
    await database.raw(commitSql);
    return undefined;
  } catch (error) {
    if (errorCode(error) === undefinedTable) return lacking;
    const { detail, remedy = '' } = toStoreError(error);
    const reason = detail.replace(/^The database |\.$/g, '');
    if (isRefusedByServer(error)) return { reason, remedy: startReason(error, '').remedy };
    return error instanceof SluiceError && remedy !== '' ? { reason, remedy } : silent;
  }
}

const lacking = {
  reason: 'has not the schema of this version',
  remedy: 'Run npm run migrate, or restore the backup that fits.',
};
const silent = {
  reason: 'does not answer',
  remedy: 'Check that Postgres runs at DATABASE_URL and has connections left.',
};
/** SQLSTATE of a table that is not there. */
const undefinedTable = '42P01';

async function findMissing(database: Knex): Promise<string[]> {
  const applied = await findApplied(database);
  return migrations.map((migration) => migration.name).filter((name) => !applied.has(name));
}
