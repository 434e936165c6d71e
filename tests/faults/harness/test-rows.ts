import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { recordLines } from '@sluice/testkit';
import { rows as allRows, shortRows } from '../rows';
import type { Row } from './row';
import { reportCells, reportLine, runRow, type RunOptions } from './run-row';
import { startWorld } from './start-world';
import type { World } from './world';

/** Full runs are recorded here. */
const record = join(__dirname, '../../../BENCHMARKS.md');
/** Thirteen processes start and end. */
const worldMs = 10 * 60_000;

/** A test for each row. Rows with equal options follow each other and share a world. */
export function testRows(rows: readonly Row[], options: RunOptions): void {
  const { isFull } = options;
  /** What ends a row that hangs: a full one takes some minutes, F30's soak an hour, and one of CI size at most two, on a slow machine many. */
  const rowMs = (isFull ? 90 : 30) * 60_000;
  const reasons = new Map(rows.map((row) => [row, row.cannotRun?.()]));
  for (const [{ id, title }, reason] of reasons) {
    if (reason !== undefined) test.todo(`${id}: ${title}: NOT RUN, ${reason}`);
  }
  const runnable = rows.filter((row) => reasons.get(row) === undefined);
  const groups = [...Map.groupBy(runnable, ({ world = {} }) => JSON.stringify(world)).values()];
  if (groups.length === 0) return;

  // The promise of the service: nothing accepted is lost, no create is sent twice, whoever dies.
  describe.each(groups.map((group) => [group]))('the fault matrix', (group) => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(group[0]?.world);
    }, worldMs);
    afterAll(() => world?.stop(), worldMs);

    it.each(group.map((row) => [row.id, row.title, row] as const))(
      '%s: %s',
      async (_id, _title, row) => {
        const report = await runRow(row, world, options);
        process.stdout.write(`${reportLine(report)}\n`);
        if (isFull) recordLines(record, `| ${report.row} |`, [reportCells(report)]);
        expect(report.broken).toEqual([]);
      },
      rowMs,
    );
  });
}

/** Those of a part that `npm run test:faults` was asked for by its variables; without them those that `npm test` does not run. */
export function testChosenRows(part: readonly Row[]): void {
  const { FAULTS_ROWS: chosen, FAULTS_SEED: seed, FAULTS_FULL: full } = readProcessEnv();
  const rest = allRows.filter((row) => seed !== undefined || !shortRows.includes(row));
  const wanted = chosen?.split(',') ?? rest.map(({ id }) => id);

  test('every row that was asked for exists', () => {
    expect(wanted.filter((id) => !allRows.some((row) => row.id === id))).toEqual([]);
  });

  testRows(
    part.filter(({ id }) => wanted.includes(id)),
    { isFull: full === 'true', seed: Number(seed ?? 7) },
  );
}
