import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { batcherEnv } from './config';

/** The cells of each setting's row, however the table is laid out. */
function rowsOf(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => /^\| `[A-Z_]+` /.test(line));
  return rows.map((row) => row.replace(/\s+/g, ' '));
}

// One edit per setting: the table of the README is made from the one that validates.
it('has its settings in the README as batcherEnv.document() gives them', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  expect(rowsOf(readme)).toEqual(rowsOf(batcherEnv.document()));
});
