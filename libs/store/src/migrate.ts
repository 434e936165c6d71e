import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';
import type { Knex } from 'knex';
import { errorCode } from './database-errors';
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
        // An index over a million rows takes longer than the 5 s that a statement of a service may take.
        await transaction.raw('set local statement_timeout = 0');
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
      'A backup or a long transaction holds it: see pg_stat_activity, and run npm run migrate again when it has ended.',
    cause,
  });
}

/** Refuses a schema that lacks a step this code needs, and names the command. A newer schema is welcome. */
export async function assertMigrated(database: Knex): Promise<void> {
  const missing = await findMissing(database);
  if (missing.length === 0) return;
  await refuseOlder(database);
  throw new DependencyError({
    code: 'service.unmigrated',
    detail: `The database schema lacks ${missing.length} of ${migrations.length} migrations, first ${missing[0]}.`,
    remedy: 'Run: npm run migrate',
  });
}

/** `ok`, or what is wrong, as a readiness check shows it. */
export type DatabaseHealth = 'ok' | 'does not answer' | 'has not the schema of this version';

/**
 * Whether the database answers, and has the last migration of this code: one that came back empty or from an old backup under a running service
 * answers as well, and would fail every request.
 */
export async function healthOf(database: Knex): Promise<DatabaseHealth> {
  const last = migrations.at(-1)?.name ?? '';
  try {
    const found = await database<{ name: string }>('knex_migrations').where({ name: last }).first('name');
    return found === undefined ? lacking : 'ok';
  } catch (error) {
    return errorCode(error) === undefinedTable ? lacking : 'does not answer';
  }
}

const lacking = 'has not the schema of this version';
/** SQLSTATE of a table that is not there. */
const undefinedTable = '42P01';

async function findMissing(database: Knex): Promise<string[]> {
  const applied = await findApplied(database);
  return migrations.map((migration) => migration.name).filter((name) => !applied.has(name));
}
