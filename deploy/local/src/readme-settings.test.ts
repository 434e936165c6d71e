import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { batcherEnv } from '@sluice/batcher';
import { executorEnv } from '@sluice/executor';
import { gatewayEnv } from '@sluice/write-gateway';

/** The cells of each setting's row, however the table is laid out. */
function rowsOf(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => /^\| `[A-Z_]+` /.test(line));
  return rows.map((row) => row.replace(/\s+/g, ' '));
}

// One edit per setting: the table of the README is made from the one that validates.
it.each([
  ['batcher', batcherEnv],
  ['executor', executorEnv],
  ['write-gateway', gatewayEnv],
])('%s: the README has its settings as document() gives them', (service, env) => {
  const readme = readFileSync(join(__dirname, '../../../services', service, 'README.md'), 'utf8');
  expect(rowsOf(readme)).toEqual(rowsOf(env.document()));
});
