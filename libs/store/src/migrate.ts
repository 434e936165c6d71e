import { DependencyError } from '@sluice/errors';
import type { Knex } from 'knex';
import type { Migration } from './migration';
import { migrations } from './migrations';

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) =>
    Promise.resolve({ up: migration.up, down: () => Promise.reject(new Error('migrations only go forward')) }),
};

/** Brings the schema to the current version. Safe to run from several processes: an advisory lock lets one work. */
export async function migrate(database: Knex): Promise<string[]> {
  // knex's own lock table survives a killed migrator; a session lock of the server does not.
  return await database.transaction(async (transaction) => {
    // An index over a million rows takes longer than the 5 s that a statement of a service may take.
    await transaction.raw('set local statement_timeout = 0');
    await transaction.raw(`select pg_advisory_xact_lock(hashtext('sluice.migrate'))`);
    const [, applied] = (await transaction.migrate.latest({
      migrationSource: source,
      disableMigrationsListValidation: true,
    })) as [number, string[]];
    return applied;
  });
}

/** Refuses a schema that lacks a step this code needs, and names the command. A newer schema is welcome. */
export async function assertMigrated(database: Knex): Promise<void> {
  const missing = await findMissing(database);
  if (missing.length === 0) return;
  throw new DependencyError({
    code: 'service.unmigrated',
    detail: `The database schema lacks ${missing.length} of ${migrations.length} migrations, first ${missing[0]}.`,
    remedy: 'Run: npm run migrate',
  });
}

async function findMissing(database: Knex): Promise<string[]> {
  const exists = await database.schema.hasTable('knex_migrations');
  const rows = exists ? await database<{ name: string }>('knex_migrations').select('name') : [];
  const applied = new Set(rows.map((row) => row.name));
  return migrations.map((migration) => migration.name).filter((name) => !applied.has(name));
}
