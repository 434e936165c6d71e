import { readAddresses } from './harness/addresses';
import type { Row } from './harness/bench';
import { requireDurable } from './harness/database';
import type { RowResult } from './harness/finding';
import { openBench, type OpenBench } from './harness/open-bench';
import { readOptions } from './options';
import { printRow, recordRow } from './report';
import { rows } from './rows';

/** Runs the rows that were asked for, one after the other. @returns 0 when each produced its figures; a missed target is no failure */
async function main(): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    rows.map(({ id }) => id),
  );
  const wanted = rows.filter(({ id }) => options.rows?.includes(id) ?? true);
  const addresses = readAddresses();
  if (!options.isQuick) await requireDurable(addresses.databaseUrl);
  const bench = await openBench(addresses, options.isQuick);
  const failed: string[] = [];
  try {
    for (const row of wanted) {
      const result = await runRow(bench, row).catch((error: unknown) => {
        print(`${row.id} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        failed.push(row.id);
      });
      if (result === undefined) continue;
      printRow(result, print);
      // After each row, so that what was measured survives what fails later.
      if (!options.isQuick) recordRow(result);
    }
  } finally {
    await bench.close();
  }
  if (failed.length > 0) print(`failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

async function runRow(bench: OpenBench, row: Row): Promise<RowResult> {
  const startedAtMs = performance.now();
  print(`${row.id}  ${row.goal}`);
  const { findings, notes } = await row.measure(bench);
  const tookS = Math.round((performance.now() - startedAtMs) / 100) / 10;
  return { id: row.id, findings, notes, tookS };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.once('SIGTERM', () => process.exit(143));
main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  },
);
