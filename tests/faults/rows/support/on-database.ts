import { openDatabase } from '@sluice/store';
import type { World } from '../../harness/world';

/** Runs one statement on the world's database: to move moments back, as if their time had passed. */
export async function onDatabase(world: World, sql: string, bindings: readonly string[]): Promise<void> {
  const database = openDatabase({ url: world.serviceUrl('postgres'), poolMax: 1, applicationName: 'fault-rows' });
  try {
    await database.raw(sql, [...bindings]);
  } finally {
    await database.destroy();
  }
}
