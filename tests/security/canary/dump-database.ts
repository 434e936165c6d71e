import { openDatabase } from '@sluice/store';
import { patientLimits } from '@sluice/testkit';

/** Every row of every table as text. */
export async function dumpDatabase(url: string): Promise<string> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'canary', limits: patientLimits });
  try {
    const { rows: tables } = await database.raw<{ rows: { name: string }[] }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await database.raw<{ rows: { text: string }[] }>('select t::text as text from ?? t', [name]);
      parts.push(`# ${name}`, ...rows.map(({ text }) => text));
    }
    return parts.join('\n');
  } finally {
    await database.destroy();
  }
}
