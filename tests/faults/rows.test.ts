import { readProcessEnv } from '@sluice/config';
import { testRows } from './harness/test-rows';
import { rows, shortRows } from './rows';

/** Set by `npm run test:faults`; without them the rows that `npm test` does not run. */
const { FAULTS_ROWS: chosen, FAULTS_SEED: seed, FAULTS_FULL: full } = readProcessEnv();
const rest = rows.filter((row) => seed !== undefined || !shortRows.includes(row));
const wanted = chosen?.split(',') ?? rest.map(({ id }) => id);

test('every row that was asked for exists', () => {
  expect(wanted.filter((id) => !rows.some((row) => row.id === id))).toEqual([]);
});

testRows(
  rows.filter(({ id }) => wanted.includes(id)),
  { isFull: full === 'true', seed: Number(seed ?? 7) },
);
