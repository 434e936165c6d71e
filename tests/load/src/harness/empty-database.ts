import { createEmptyDatabase } from '@sluice/testkit';

/** An empty database of a baseline, dropped afterwards. */
export async function withEmptyDatabase<Result>(work: (databaseUrl: string) => Promise<Result>): Promise<Result> {
  const database = await createEmptyDatabase();
  try {
    return await work(database.url);
  } finally {
    await database.drop();
  }
}
