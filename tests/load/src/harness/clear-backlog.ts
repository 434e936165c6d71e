import { withDatabase } from './database';
import type { System } from './system';

/**
 * Removes what was accepted. Nobody executes while accepting is measured, so the backlog of the rounds before would grow into the
 * figure: admission counts what waits (libs/store/src/writes/count-backlog.ts), and a project may have only so much of it.
 */
export async function clearBacklog({ databaseUrl }: Pick<System, 'databaseUrl'>): Promise<void> {
  await withDatabase(databaseUrl, (database) =>
    database.raw('truncate operations, calls, records, attempts, outcomes, order_queue, barriers'),
  );
}
