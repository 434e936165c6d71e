import { DependencyError, SluiceError } from '@sluice/errors';
import { migrateDatabase, migrations } from '@sluice/store';
import type { Log } from '@sluice/stack';

/**
 * Brings the schema to the current version and says which steps that took.
 * @throws DependencyError when the database does not answer or refuses a step
 */
export async function migrateWithReport(databaseUrl: string, log: Log): Promise<void> {
  const applied = await migrateDatabase(databaseUrl).catch((cause: unknown) => {
    throw cause instanceof SluiceError ? cause : refused(databaseUrl, cause);
  });
  if (applied.length === 0) log(`schema: current, ${migrations.length} migrations`);
  else log(`schema: ${applied.length} of ${migrations.length} migrations applied: ${applied.join(', ')}`);
}

function refused(databaseUrl: string, cause: unknown): DependencyError {
  // A refused connection to a name with two addresses has an empty message and its reasons inside.
  const reasons = cause instanceof AggregateError ? cause.errors : [cause];
  const reason = reasons.map((error) => (error instanceof Error ? error.message : String(error))).join('; ');
  return new DependencyError({
    code: 'service.unavailable',
    detail: `The database at ${withoutPassword(databaseUrl)} could not be migrated: ${reason}`,
    remedy: 'Check DATABASE_URL, and that its user may create tables.',
    cause,
  });
}

function withoutPassword(url: string): string {
  return url.replace(/:[^:@/]*@/, ':***@');
}
