import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertRetention, executorEnv } from './config';

/** The cells of each setting's row, however the table is laid out. */
function rowsOf(markdown: string): string[] {
  const rows = markdown.split('\n').filter((line) => /^\| `[A-Z_]+` /.test(line));
  return rows.map((row) => row.replace(/\s+/g, ' '));
}

// One edit per setting: the table of the README is made from the one that validates.
it('has its settings in the README as executorEnv.document() gives them', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  expect(rowsOf(readme)).toEqual(rowsOf(executorEnv.document()));
});

it.each([
  [30, 0],
  [30, 30],
  [1, 3650],
])('values for %s days and operations for %s are fine', (retentionDays, operationRetentionDays) => {
  expect(() => assertRetention({ retentionDays, operationRetentionDays })).not.toThrow();
});

it('operations that would go before their values are refused, with both settings', () => {
  expect(() => assertRetention({ retentionDays: 30, operationRetentionDays: 29 })).toThrow(
    'SLUICE_OPERATION_RETENTION_DAYS=29 must be 0 (never) or at least SLUICE_RETENTION_DAYS, which is 30',
  );
});
