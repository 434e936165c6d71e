import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { reportLine, runRow } from './harness/run-row';
import { startWorld } from './harness/start-world';
import type { World } from './harness/world';
import { rows } from './rows';

/** Set by `npm run test:faults`. */
const { FAULTS_ROWS: chosen, FAULTS_SEED: seed = '7', FAULTS_FULL: full } = readProcessEnv();
const isFull = full === 'true';
const wanted = chosen?.split(',') ?? rows.map(({ id }) => id);
const unknown = wanted.filter((id) => !rows.some((row) => row.id === id));
const toRun = rows.filter(({ id }) => wanted.includes(id));
const reasons = new Map(toRun.map((row) => [row, row.cannotRun?.()]));
const runnable = toRun.filter((row) => reasons.get(row) === undefined);
/** What ends a row that hangs: a full one takes some minutes, F20's scaled hours longest, and one of CI size at most two, on a slow machine many. */
const rowMs = (isFull ? 40 : 30) * 60_000;
/** Thirteen processes start and end. */
const worldMs = 10 * 60_000;
/** What `BENCHMARKS.md` shows of the full runs. */
const results = join(__dirname, 'results.jsonl');

/** Rows with equal options follow each other and share a world. */
const groups = [...Map.groupBy(runnable, ({ world = {} }) => JSON.stringify(world)).values()];

test('every row that was asked for exists', () => {
  expect(unknown).toEqual([]);
});

for (const [{ id, title }, reason] of reasons) {
  if (reason !== undefined) test.todo(`${id}: ${title}: NOT RUN, ${reason}`);
}

// The promise of the service: nothing accepted is lost, no create is sent twice, whoever dies. Reliability reference, section 3.
if (groups.length > 0) {
  describe.each(groups.map((group) => [group]))('the fault matrix', (group) => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(group[0]?.world);
    }, worldMs);
    afterAll(() => world?.stop(), worldMs);

    it.each(group.map((row) => [row.id, row.title, row] as const))(
      '%s: %s',
      async (_id, _title, row) => {
        const report = await runRow(row, world, { isFull, seed: Number(seed) });
        const line = `${reportLine(report)}\n`;
        process.stdout.write(line);
        if (isFull) appendFileSync(results, line);
        expect(report.broken).toEqual([]);
      },
      rowMs,
    );
  });
}
