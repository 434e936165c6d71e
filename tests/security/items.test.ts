import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
/** Items of the security checklist whose turn has come; the others are listed at the end of ITEMS.md with their issue. */
const due = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
  33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
];

interface Item {
  readonly id: number;
  /** Files whose titles carry the mark of the item. */
  readonly files: readonly string[];
}

/** Rows of the table: `| 28 | what is kept | `file` ... |`. */
const items: Item[] = readFileSync(join(__dirname, 'ITEMS.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, , tests] = /^\| *(\d+) *\|(.*)\|(.*)\|$/.exec(line) ?? [];
    if (id === undefined || tests === undefined) return [];
    return [{ id: Number(id), files: [...tests.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file]) => file ?? '') }];
  });

it('has a row for each item that is due', () => {
  expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(due));
});

it.each(items.filter(({ id }) => due.includes(id)))('item $id is tested where its row says', ({ id, files }) => {
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
    expect([file, text.includes(`[sec-${id}]`)]).toEqual([file, true]);
  }
});
