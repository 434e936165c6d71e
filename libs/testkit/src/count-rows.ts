import { openDatabase } from '@sluice/store';
import { patientLimits } from './patient-limits';

/** Rows per table, for proving that a refused request wrote nothing. Tables without rows are left out. */
export async function countRows(url: string): Promise<Record<string, number>> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'sluice-testkit', limits: patientLimits });
  try {
    const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const row = await database(name).count<{ count: string }[]>('* as count').first();
      const count = Number(row?.count ?? 0);
      if (count > 0) counts[name] = count;
    }
    return counts;
  } finally {
    await database.destroy();
  }
}
