import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@sluice/store';
import type { Measured } from './measured';

/** How long a query is repeated while the database does not answer: rows crash it, and this machine is busy. */
const patienceMs = 180_000;

/** One read of the world's database, past every proxy, by a user that nobody counts. */
export async function query<T>(
  world: Pick<Measured, 'serviceUrl' | 'databaseTls'>,
  sql: string,
  bindings: readonly (string | number | readonly (string | number)[])[] = [],
): Promise<readonly T[]> {
  const startedAtMs = performance.now();
  for (;;) {
    const { databaseTls: tls } = world;
    const url = world.serviceUrl('postgres');
    const database = openDatabase({ url, tls, poolMax: 1, applicationName: 'fault-checker' });
    try {
      const { rows } = await database.raw<{ rows: T[] }>(sql, bindings as never);
      return rows;
    } catch (error) {
      if (performance.now() - startedAtMs > patienceMs) throw error;
      await sleep(200);
    } finally {
      await database.destroy();
    }
  }
}
