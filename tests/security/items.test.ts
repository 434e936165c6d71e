import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readItems } from '../setup/security-check';

const root = join(__dirname, '../..');
const items = readItems(root);

it('every item of the security checklist has one row', () => {
  expect(items.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 51 }, (_, at) => at + 1));
});

// Whether a test with its mark passed there is asked after each whole run (tests/setup/security-check.js).
it.each(items)('item $id names suites that exist', ({ files }) => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
