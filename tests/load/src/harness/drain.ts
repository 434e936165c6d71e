import { countOf, type Database } from './database';
import { until } from './until';

const openOperations = `select count(*) from (select 1 from operations where state in ('queued', 'accumulating') limit 1) o`;

/** Waits until every operation has ended. */
export async function drained(database: Database): Promise<void> {
  await until('every operation has ended', async () => (await countOf(database, openOperations)) === 0);
}

/** @throws when an operation ended with anything but success: then a rate is about something else */
export async function assertNoFailure(database: Database): Promise<void> {
  const failed = await countOf(database, `select count(*) from operations where state = 'failure'`);
  if (failed > 0) throw new Error(`${failed} operations failed`);
}
